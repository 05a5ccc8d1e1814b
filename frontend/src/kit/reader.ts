// What `frame` in frames.py and its companions write, section by section.

interface ArrayType<Values> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): Values;
}

export interface Reader {
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what Python wrote
  readJson(): any;
  readArray<Values extends { byteLength: number }>(Type: ArrayType<Values>, length?: number): Values;
  align(): void;
}

// Reads one section after the other.
export function reader(bytes: Uint8Array): Reader {
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
    readArray<Values extends { byteLength: number }>(
      Type: ArrayType<Values>,
      length = (end - offset) / Type.BYTES_PER_ELEMENT,
    ): Values {
      const array = new Type(buffer, offset, length);
      offset += array.byteLength;
      return array;
    },
    align() {
      offset = Math.ceil(offset / 4) * 4;
    },
  };
}
