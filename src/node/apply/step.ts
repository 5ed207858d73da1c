import type { FileImage, Stamp } from './fileImage.ts';

/** A path's way from one image to another, and how it looked when this was decided. */
export interface PlannedStep {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  readonly seen: Stamp;
}
