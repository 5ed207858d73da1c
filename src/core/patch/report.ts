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

/** The lines with a heading, for the model. */
export function formatPatchReport(report: readonly PatchReportEntry[]): string {
  return `Patch applied to these files:\n${reportLines(report).join('\n')}\n`;
}
