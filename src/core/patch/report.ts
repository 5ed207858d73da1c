/** The report on an applied patch for the model and the command line (codex-behaviour.md §1.5). */

/** A: added or overwritten; M: modified or moved, with the new path; D: deleted. Paths are as written in the patch. */
export interface PatchReportEntry {
  readonly kind: 'A' | 'M' | 'D';
  readonly path: string;
}

/** Returns one line for each operation: added, then modified, then deleted. */
export function reportLines(report: readonly PatchReportEntry[]): readonly string[] {
  return (['A', 'M', 'D'] as const).flatMap((kind) =>
    report.filter((entry) => entry.kind === kind).map((entry) => `${kind} ${entry.path}`),
  );
}

/**
 * The lines with a heading, for the model. A file that is deleted and added again is modified: the order of the lines would
 * say that it is gone.
 */
export function formatPatchReport(report: readonly PatchReportEntry[]): string {
  return `Patch applied to these files:\n${reportLines(withReplaced(report)).join('\n')}\n`;
}

function withReplaced(report: readonly PatchReportEntry[]): readonly PatchReportEntry[] {
  const isAgain = (path: string, from: number) =>
    report.some((later, at) => at > from && later.kind === 'A' && later.path === path);
  const replaced = new Set(
    report.filter(({ kind, path }, at) => kind === 'D' && isAgain(path, at)).map(({ path }) => path),
  );
  return report.flatMap((entry): PatchReportEntry[] => {
    if (!replaced.has(entry.path)) return [entry];
    return entry.kind === 'A' ? [{ kind: 'M', path: entry.path }] : [];
  });
}
