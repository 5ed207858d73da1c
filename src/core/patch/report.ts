/** What the model and the command line are told when a patch has landed (codex-behaviour.md §1.5). */

/** Added (or written over), modified (or moved: the path is the new one), deleted. Paths are as written in the patch. */
export interface PatchReportEntry {
  readonly kind: 'A' | 'M' | 'D';
  readonly path: string;
}

/** One line per operation: what was added, what was modified, what was deleted. */
export function reportLines(report: readonly PatchReportEntry[]): readonly string[] {
  return (['A', 'M', 'D'] as const).flatMap((kind) =>
    report.filter((entry) => entry.kind === kind).map((entry) => `${kind} ${entry.path}`),
  );
}

/** The lines below a heading, for the model. */
export function formatPatchReport(report: readonly PatchReportEntry[]): string {
  return `Patch applied to these files:\n${reportLines(report).join('\n')}\n`;
}
