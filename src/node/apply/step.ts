import type { FileImage, Stamp } from './fileImage.ts';

/** The change of a path from one image to another, with its stamp when this was planned. */
export interface PlannedStep {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  readonly seen: Stamp;
}
