// Bytes as a text that HTML and UTF-8 leave as they are, seven bits in each character of one byte: seven_bits.py.
//
// Four of the 128 characters would not survive in a <script>: they become one of two bytes that also holds the seven bits
// after them.

const WRONG = [0, 10, 13, 60]; // NUL, line feed, carriage return, "<"
const FIRST = 256; // of the characters of two bytes

// `size`: how many bytes there are.
export function decoded(text: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  let held = 0; // bits that are no whole byte yet
  let count = 0; // of them
  const take = (seven: number): void => {
    held = ((held << 7) | seven) & 0x3fff;
    count += 7;
    if (count < 8) return;
    count -= 8;
    bytes[at++] = held >> count;
  };
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    if (code < FIRST) take(code);
    else {
      take(WRONG[(code - FIRST) >> 7]);
      take((code - FIRST) & 127);
    }
  }
  return bytes;
}
