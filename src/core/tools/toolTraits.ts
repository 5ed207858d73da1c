/**
 * Traits of the tools of Tiller by their names, for files of agents and skills, and for the built-in agents. Tools of
 * other sources, and those for sub-agents, are not here. Each offered tool must have a line
 * (test/scenarios/everyTool.test.ts).
 */

/** Several tools of Tiller that are one tool of other products. */
type ToolGroup = 'running' | 'editing' | 'reading' | 'searching';

interface ToolTraits {
  readonly group: ToolGroup | null;
  /** True if agents that only read have the tool: it changes nothing, or runs in their sandbox. */
  readonly forLooking: boolean;
  /** True if a skill with a list of tools allows this one without listing it: it reads, plans or asks. */
  readonly forEverySkill: boolean;
}

const TOOL_TRAITS = {
  exec_command: { group: 'running', forLooking: true, forEverySkill: false },
  write_stdin: { group: 'running', forLooking: true, forEverySkill: false },
  shell: { group: 'running', forLooking: true, forEverySkill: false },
  run_tests: { group: 'running', forLooking: true, forEverySkill: false },
  apply_patch: { group: 'editing', forLooking: false, forEverySkill: false },
  read_file: { group: 'reading', forLooking: true, forEverySkill: true },
  view_image: { group: 'reading', forLooking: true, forEverySkill: true },
  grep_files: { group: 'searching', forLooking: true, forEverySkill: true },
  list_dir: { group: 'searching', forLooking: true, forEverySkill: true },
  code_navigation: { group: null, forLooking: true, forEverySkill: false },
  fetch_url: { group: null, forLooking: false, forEverySkill: false },
  web_search: { group: null, forLooking: false, forEverySkill: false },
  update_plan: { group: null, forLooking: true, forEverySkill: true },
  request_user_input: { group: null, forLooking: false, forEverySkill: true },
  get_memory: { group: null, forLooking: false, forEverySkill: true },
} satisfies Readonly<Record<string, ToolTraits>>;

/** The names of the tools with these traits, in the order of `TOOL_TRAITS`. */
export function toolsWith(fits: (traits: ToolTraits) => boolean): readonly string[] {
  return Object.entries(TOOL_TRAITS).flatMap(([name, traits]) => (fits(traits) ? [name] : []));
}

/** True for a tool of Tiller that files of agents and skills can name. */
export function isOwnTool(name: string): boolean {
  return Object.hasOwn(TOOL_TRAITS, name);
}
