import { LEGAL_TOOL_NAME } from '#agent';

/**
 * Names that model APIs take, for tools that an MCP server calls otherwise (`files/read`, names of 100 characters).
 *
 * @returns their name → ours; distinct
 */
export function legalNames(names: readonly string[]): Map<string, string> {
  const taken = new Set(names.filter((name) => LEGAL_TOOL_NAME.test(name)));
  return new Map(
    names.map((name) => {
      if (LEGAL_TOOL_NAME.test(name)) return [name, name];
      const stem = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool';
      let legal = stem;
      for (let number = 2; taken.has(legal); number++) legal = `${stem}_${number}`;
      taken.add(legal);
      return [name, legal];
    }),
  );
}
