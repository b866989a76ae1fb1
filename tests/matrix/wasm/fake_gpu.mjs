// Stands in for a GPUDevice: buffers are memory, copies happen, and `kernels` has a function for each entry point of a shader.
export function fakeGpu(kernels) {
  const calls = [];
  const run = (commands) => commands.forEach((command) => command());
  const device = {
    calls,
    queue: {
      writeBuffer: (buffer, offset, data) => buffer.bytes.set(data, offset),
      submit: (lists) => lists.forEach(run),
    },
    createBuffer({ size, usage }) {
      const bytes = new Uint8Array(size);
      const buffer = { bytes, usage, getMappedRange: () => bytes.buffer, unmap() {}, destroy: () => calls.push("destroy") };
      // As a device does: not at once.
      buffer.mapAsync = () => new Promise((resolve) => setTimeout(resolve, 5));
      return buffer;
    },
    createShaderModule: ({ code }) => ({ code }),
    createComputePipeline({ compute: { module, entryPoint } }) {
      calls.push(`pipeline ${entryPoint}`);
      if (!module.code.includes(`fn ${entryPoint}(`)) throw new Error(`no entry point ${entryPoint}`);
      return { run: kernels[entryPoint], getBindGroupLayout: (group) => ({ group }) };
    },
    createBindGroup: ({ entries }) => entries.map(({ resource }) => new Float32Array(resource.buffer.bytes.buffer)),
    createCommandEncoder: () => encoder(),
  };
  return device;
}

function encoder() {
  const commands = [];
  return {
    copyBufferToBuffer: (from, start, to, place, size) =>
      commands.push(() => to.bytes.set(from.bytes.subarray(start, start + size), place)),
    beginComputePass: () => pass(commands),
    finish: () => commands,
  };
}

function pass(commands) {
  const state = {};
  return {
    setPipeline: (pipeline) => Object.assign(state, { pipeline }),
    setBindGroup: (_group, views) => Object.assign(state, { views }),
    dispatchWorkgroups: (...groups) => commands.push(() => state.pipeline.run(groups, ...state.views)),
    end() {},
  };
}
