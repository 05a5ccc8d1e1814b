// Where an explanation stands: below the term, above it where there is no room below, and always inside the window.

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}

const MARGIN = 8; // px to the edges of the window
const GAP = 4; // px to the term: short enough to be crossed

export function placeBeside(term: Box, { width, height }: Size, room: Size): { left: number; top: number } {
  const below = term.bottom + GAP;
  const above = term.top - GAP - height;
  const fitsBelow = below + height + MARGIN <= room.height;
  return {
    left: Math.max(MARGIN, Math.min(term.left, room.width - MARGIN - width)),
    top: fitsBelow || above < MARGIN ? below : above,
  };
}
