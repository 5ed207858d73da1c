/** The orientation of a JPEG: cameras store the pixels as the sensor has them, and how to turn them in the Exif data. */

const START_OF_SCAN = 0xda;
const APP1 = 0xe1;
const EXIF = 'Exif\0\0';
const ORIENTATION_TAG = 0x0112;

/** The turn that the pixels need: 1 (not at all) to 8, as Exif counts. 1 where the image does not say. */
export function orientationOf(jpeg: Uint8Array): number {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  try {
    for (let at = 2; view.getUint8(at) === 0xff; ) {
      const marker = view.getUint8(at + 1);
      if (marker === START_OF_SCAN) return 1;
      const length = view.getUint16(at + 2);
      if (marker === APP1 && Buffer.from(jpeg.subarray(at + 4, at + 10)).toString('latin1') === EXIF) {
        return orientationIn(new DataView(jpeg.buffer, jpeg.byteOffset + at + 10, length - 8));
      }
      at += 2 + length;
    }
  } catch (error) {
    // Exif data that ends early says nothing.
    if (!(error instanceof RangeError)) throw error;
  }
  return 1;
}

/** `tiff`: the Exif data from its byte order on. @throws RangeError when it ends early */
function orientationIn(tiff: DataView): number {
  const isLittle = tiff.getUint16(0) === 0x4949;
  const directory = tiff.getUint32(4, isLittle);
  const count = tiff.getUint16(directory, isLittle);
  for (let entry = 0; entry < count; entry++) {
    const at = directory + 2 + entry * 12;
    if (tiff.getUint16(at, isLittle) !== ORIENTATION_TAG) continue;
    const orientation = tiff.getUint16(at + 8, isLittle);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  return 1;
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, by rows. */
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** The same pixels as they are to be looked at; width and height change places where the image lies on its side. */
export function upright(pixels: Pixels, orientation: number): Pixels {
  if (orientation === 1) return pixels;
  const { width: w, height: h } = pixels;
  const isOnSide = orientation >= 5;
  const [width, height] = isOnSide ? [h, w] : [w, h];
  const from = new DataView(pixels.data.buffer, pixels.data.byteOffset, pixels.data.byteLength);
  const data = new Uint8Array(width * height * 4);
  const to = new DataView(data.buffer);
  // Along the rows and the columns of the stored image, backwards where these orientations mirror it.
  const isRightToLeft = [2, 3, 7, 8].includes(orientation);
  const isBottomUp = [3, 4, 6, 7].includes(orientation);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [column, row] = isOnSide ? [y, x] : [x, y];
      const sourceX = isRightToLeft ? w - 1 - column : column;
      const sourceY = isBottomUp ? h - 1 - row : row;
      to.setUint32((y * width + x) * 4, from.getUint32((sourceY * w + sourceX) * 4));
    }
  }
  return { width, height, data };
}
