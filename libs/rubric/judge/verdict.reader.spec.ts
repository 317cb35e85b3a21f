import { readVerdict } from './verdict.reader.js';

const UNIT = { min: 0, max: 1 };
const GOOD = '{"score":0.63,"explanation":" why "}';

describe('reading a verdict', () => {
  it.each([
    ['plain', GOOD],
    ['fenced', `\`\`\`json\n${GOOD}\n\`\`\``],
    ['fenced without a language', `\`\`\`\n${GOOD}\n\`\`\``],
    ['fenced with CRLF', `\`\`\`JSON\r\n${GOOD}\r\n\`\`\`\r\n`],
    ['fenced and not closed', `\`\`\`json\n${GOOD}`],
    ['after thinking', `<think>score {"score":0}</think>\n\n${GOOD}`],
  ])('RJ-01: %s', (_name, text) => {
    expect(readVerdict(text, UNIT)).toEqual({ score: 0.63, explanation: 'why', clamped: false });
  });

  it.each([
    ['text after the fence', `\`\`\`json\n${GOOD}\n\`\`\`\nHope that helps!`, 'not valid JSON'],
    ['prose around it', `Here you are: ${GOOD}`, 'not valid JSON'],
    ['truncated', '{"score":0.6,"expl', 'not valid JSON'],
    ['nothing', ' \n', 'did not include any content'],
    ['a list', '[1]', 'not a JSON object'],
    ['prose alone', 'I cannot evaluate this.', 'not valid JSON'],
    ['a bare fraction', '8/10', 'not valid JSON'],
  ])('RJ-01, RJ-06: %s is no verdict', (_name, text, reason) => {
    expect(() => readVerdict(text, UNIT)).toThrow(reason);
  });

  it.each([['"8/10"'], ['"85%"'], ['"0.8"'], ['true'], ['null'], ['[1]'], ['{"value":1}']])(
    'RJ-03, RJ-04: a score of %s is no number',
    (score) => {
      expect(() => readVerdict(`{"score":${score},"explanation":"e"}`, UNIT)).toThrow("numeric 'score'");
    },
  );

  it('RJ-04: 1e400 is not finite, and Score is not score', () => {
    expect(() => readVerdict('{"score":1e400,"explanation":"e"}', UNIT)).toThrow('finite');
    expect(() => readVerdict('{"Score":1,"explanation":"e"}', UNIT)).toThrow("numeric 'score'");
  });

  it.each(['{"score":1}', '{"score":1,"explanation":" "}', '{"score":1,"explanation":5}'])(
    'G-B: %s lacks its explanation',
    (text) => {
      expect(() => readVerdict(text, UNIT)).toThrow("'explanation'");
    },
  );

  it.each([
    [1.5, UNIT, 1, true],
    [-0.5, UNIT, 0, true],
    [7.5, { min: 0, max: 10 }, 7.5, false],
  ])('G-B: %d is clamped and flagged when out of bounds', (score, bounds, expected, clamped) => {
    expect(readVerdict(`{"score":${score},"explanation":"e"}`, bounds)).toMatchObject({ score: expected, clamped });
  });
});
