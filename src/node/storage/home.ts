import { access, constants } from 'node:fs/promises';
import { describeFileError } from '../../core/util/fileErrors.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { makePrivateFolder } from '../host/privateFiles.ts';

/** Makes TILLER_HOME where it is missing. Returns why it cannot be used, in a sentence with its path, or `undefined`. */
export async function prepareHome(home: string): Promise<string | undefined> {
  const failed = (why: string) => `Tiller cannot keep its files in ${home} (TILLER_HOME). ${why}`;
  try {
    await makePrivateFolder(home);
  } catch (error) {
    return failed(messageOf(error));
  }
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return failed(describeFileError(error, home));
  }
  return undefined;
}
