/** The lines around a plan in a message of the model (plan mode). */
export const PLAN_START = '<proposed_plan>';
export const PLAN_END = '</proposed_plan>';

export interface MessageWithPlan {
  readonly before: string;
  /** The plan as Markdown; `null` if the message has none. While the message streams, the part so far. */
  readonly plan: string | null;
  readonly after: string;
  /** True once the end of the plan has arrived. */
  readonly isWhole: boolean;
}

/** Splits a message of the model at its last plan. The marks only count on lines of their own. */
export function splitPlan(text: string): MessageWithPlan {
  const lines = text.split('\n');
  const isMark = (mark: string) => (line: string) => line.trim() === mark;
  const start = lines.findLastIndex(isMark(PLAN_START));
  if (start < 0) return { before: text, plan: null, after: '', isWhole: false };
  const length = lines.slice(start + 1).findIndex(isMark(PLAN_END));
  const end = length < 0 ? lines.length : start + 1 + length;
  const joined = (from: number, to: number) => lines.slice(from, to).join('\n').trim();
  return {
    before: joined(0, start),
    plan: joined(start + 1, end),
    after: joined(end + 1, lines.length),
    isWhole: length >= 0,
  };
}

/** Returns a growing message without its last line, if that line may become a mark. */
export function withoutOpenMark(text: string): string {
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start).trim();
  const isOpen = (mark: string) => line !== '' && line !== mark && mark.startsWith(line);
  return isOpen(PLAN_START) || isOpen(PLAN_END) ? text.slice(0, start) : text;
}

/** Returns the first heading of a plan, or else its first line with words. */
export function titleOfPlan(plan: string): string {
  const lines = plan.split('\n').map((line) => line.trim());
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line));
  return (heading ?? lines.find((line) => line !== '') ?? '').replace(/^#+\s+/, '').replace(/\s+#+$/, '');
}

/** Returns a message without the marks around its plan, as it is shown and exported. */
export function withoutPlanMarks(text: string): string {
  const { before, plan, after } = splitPlan(text);
  return plan === null ? text : [before, plan, after].filter((part) => part !== '').join('\n\n');
}
