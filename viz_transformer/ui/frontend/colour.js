// The colour of a weight: a cividis-like map, dark blue (0) through grey to yellow (1), safe for colour-blind eyes
// and in grey print, as its lightness only rises. The same in the light and the dark theme.

const ANCHORS = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [165, 156, 116], [195, 179, 105], [254, 232, 56],
];
const SIZE = 256;

// One pixel of an ImageData as a Uint32: alpha, blue, green, red.
const PIXELS = Uint32Array.from({ length: SIZE }, (_, i) => {
  const position = (i / (SIZE - 1)) * (ANCHORS.length - 1);
  const below = Math.min(Math.floor(position), ANCHORS.length - 2);
  const [red, green, blue] = ANCHORS[below].map((channel, c) =>
    Math.round(channel + (position - below) * (ANCHORS[below + 1][c] - channel)));
  return (255 << 24) | (blue << 16) | (green << 8) | red;
});

export function pixelOf(weight) {
  return PIXELS[Math.round(weight * (SIZE - 1))];
}

export function inkOn(weight) {
  return weight < 0.52 ? "#ffffff" : "#000000";
}

export function cssGradient() {
  return `linear-gradient(to right, ${ANCHORS.map((channels) => `rgb(${channels})`)})`;
}

export function canvasGradient(context, from, to) {
  const gradient = context.createLinearGradient(from, 0, to, 0);
  ANCHORS.forEach((channels, i) => gradient.addColorStop(i / (ANCHORS.length - 1), `rgb(${channels})`));
  return gradient;
}

// Diagonal lines, for cells that may not be attended to.
export function hatch(context, colour, ratio) {
  const side = Math.round(5 * ratio);
  const tile = new OffscreenCanvas(side, side);
  const ink = tile.getContext("2d");
  ink.strokeStyle = colour;
  ink.globalAlpha = 0.45;
  ink.lineWidth = ratio;
  for (const shift of [-side, 0, side]) {
    ink.beginPath();
    ink.moveTo(shift - 1, side + 1);
    ink.lineTo(shift + side + 1, -1);
    ink.stroke();
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio)); // the tile is in device pixels, the context in CSS pixels
  return pattern;
}
