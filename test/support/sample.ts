/** The generated sample projects, for tests. The list of variants is in scripts/sample.mjs only. */
import { type Choices, generateSample, type Sample, writeSample } from '../../scripts/sample.mjs';
import { tempFolder, type TempFolder } from './tempFolder.ts';

export { type Choices, generateSample, type Sample, VARIANTS, writeSample } from '../../scripts/sample.mjs';

/** Writes a sample to a new folder, which is removed at the end of the block. */
export async function sampleFolder(choices: Choices): Promise<TempFolder & { readonly sample: Sample }> {
  const folder = tempFolder();
  const sample = generateSample(choices);
  await writeSample(folder.path, sample);
  return { ...folder, sample };
}
