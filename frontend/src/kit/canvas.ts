// @ts-nocheck
// The canvas, emptied, with its context in CSS pixels.
export function cleared(canvas, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.scale(ratio, ratio);
  return context;
}
