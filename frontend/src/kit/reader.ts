// @ts-nocheck
// What `frame` in frames.py and its companions write, section by section.

// Reads one section after the other.
export function reader(bytes) {
  const { buffer, byteOffset: start } = bytes.byteOffset % 4 ? bytes.slice() : bytes; // sections start at aligned offsets
  const end = start + bytes.length;
  let offset = start;
  return {
    readJson() {
      const length = new DataView(buffer).getUint32(offset, true);
      const text = new TextDecoder().decode(new Uint8Array(buffer, offset + 4, length));
      offset += 4 + length;
      return JSON.parse(text);
    },
    // Without a length all that is left.
    readArray(Type, length = (end - offset) / Type.BYTES_PER_ELEMENT) {
      const array = new Type(buffer, offset, length);
      offset += array.byteLength;
      return array;
    },
    align() {
      offset = Math.ceil(offset / 4) * 4;
    },
  };
}
