import type { Compensation } from './compensation.ts';
import type { ApplyWatch } from './model.ts';
import type { PathGuard } from './pathGuard.ts';
import type { PlaceFiles } from './placeFiles.ts';

/** The services shared by the steps of one application. */
export interface ApplyContext {
  readonly files: PlaceFiles;
  readonly guard: PathGuard;
  readonly compensation: Compensation;
  readonly watch: ApplyWatch | undefined;
}
