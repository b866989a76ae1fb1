"""The matrix: cells, images, boxes, checks, artefacts and reports. Importing it loads nothing else."""
