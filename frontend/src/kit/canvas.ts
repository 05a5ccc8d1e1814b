// A cleared context to paint on, and which function paints what a canvas shows.

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

// The canvas, emptied, with its context in CSS pixels.
export function cleared(canvas: HTMLCanvasElement | OffscreenCanvas, ratio: number): Context {
  const context = (canvas as HTMLCanvasElement).getContext("2d") as Context;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.scale(ratio, ratio);
  return context;
}

// Paints what a canvas shows on another one, in CSS pixels; `ratio`: device pixels in one of them.
export type Painter = (context: Context, ratio: number) => void;

const painters = new WeakMap<HTMLCanvasElement, Painter>();

export function setPainter(canvas: HTMLCanvasElement, painter: Painter): void {
  painters.set(canvas, painter);
}

export function painterOf(canvas: HTMLCanvasElement): Painter | undefined {
  return painters.get(canvas);
}
