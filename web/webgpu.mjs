// Answers what webgpu_runtime asks for with the page's WebGPU.
const MAP_READ = 0x1, COPY_SRC = 0x4, COPY_DST = 0x8, STORAGE = 0x80;
const READ = 0x1;

/** Return the functions of tvm_webgpu, and `finished`: a promise that all downloads so far have ended. */
export function webgpuImports(module, device) {
  const buffers = new Map(), pipelines = new Map(), downloads = new Set();

  function copyOut(ticket, buffer, offset, target, nbytes) {
    const landing = device.createBuffer({ size: nbytes, usage: MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffers.get(buffer), offset, landing, 0, nbytes);
    device.queue.submit([encoder.finish()]);
    const landed = landing.mapAsync(READ).then(() => {
      module.bytes.set(new Uint8Array(landing.getMappedRange()), target);
      landing.unmap();
      landing.destroy();
      module.checked(module.exports.tvm_webgpu_complete(ticket));
    });
    downloads.add(landed);
  }

  function pipelineOf(shader, entry) {
    const key = JSON.stringify([shader, entry]);
    if (!pipelines.has(key)) {
      const compiled = device.createShaderModule({ code: shader });
      const compute = { module: compiled, entryPoint: entry };
      pipelines.set(key, device.createComputePipeline({ layout: "auto", compute }));
    }
    return pipelines.get(key);
  }

  function dispatch(shader, entry, numbers, groups) {
    const pipeline = pipelineOf(shader, entry);
    const entries = numbers.map((number, binding) => ({ binding, resource: { buffer: buffers.get(number) } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(...groups);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  // The pointers of a module of 32 bits come as signed numbers.
  const address = (pointer) => pointer >>> 0;
  const answers = {
    create: (buffer, nbytes) =>
      buffers.set(buffer, device.createBuffer({ size: nbytes >>> 0, usage: STORAGE | COPY_SRC | COPY_DST })),
    destroy(buffer) {
      buffers.get(buffer).destroy();
      buffers.delete(buffer);
    },
    upload: (buffer, offset, source, nbytes) =>
      device.queue.writeBuffer(buffers.get(buffer), offset >>> 0, module.bytes.slice(address(source), address(source) + (nbytes >>> 0))),
    download: (ticket, buffer, offset, target, nbytes) =>
      copyOut(ticket, buffer, offset >>> 0, address(target), nbytes >>> 0),
    dispatch(shader, entry, list, count, ...groups) {
      const numbers = Array.from(new Int32Array(module.exports.memory.buffer, address(list), count));
      dispatch(module.textAt(address(shader)), module.textAt(address(entry)), numbers, groups);
    },
  };

  const answered = (body) => (...args) => {
    try {
      if (device === null) throw new Error("no GPUDevice was given to load()");
      body(...args);
      return 0;
    } catch (error) {
      raise(module, `WebGPU: ${error.message}`);
      return -1;
    }
  };
  const imports = Object.fromEntries(Object.entries(answers).map(([name, body]) => [name, answered(body)]));
  const finished = async () => {
    const open = [...downloads];
    downloads.clear();
    await Promise.all(open);
  };
  return { imports, finished };
}

function raise(module, message) {
  const kind = place(module, "RuntimeError"), text = place(module, message);
  module.exports.TVMFFIErrorSetRaisedFromCStr(kind, text);
  module.exports.tvm_bytes_free(kind);
  module.exports.tvm_bytes_free(text);
}

function place(module, text) {
  const bytes = new TextEncoder().encode(text);
  const pointer = module.exports.tvm_bytes_alloc(bytes.length + 1) >>> 0;
  module.bytes.set(bytes, pointer);
  module.bytes[pointer + bytes.length] = 0;
  return pointer;
}
