/** Folders in which other products keep the files of the user. */
import path from 'node:path';

const PRODUCTS = {
  claude: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
  codex: { variable: 'CODEX_HOME', folder: '.codex' },
} as const;

interface UserOfHost {
  readonly homeDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The folder that the variable of the product names, or its folder in the home directory. A variable that is empty or a
 * relative path has no effect: it would make the folder of this process, such as a cloned repository, one of the user, whose
 * files are used without an approval.
 */
export function productFolder(product: keyof typeof PRODUCTS, { homeDirectory, environment }: UserOfHost): string {
  const { variable, folder } = PRODUCTS[product];
  const named = environment[variable];
  return named !== undefined && path.isAbsolute(named) ? named : path.join(homeDirectory, folder);
}
