import { painter } from '../../cli/paint.js';
import { conversationText } from './conversation-text.js';

it('shows texts under number and role, tool calls behind arrows, and whose call a result answers', () => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'one\n\ntwo' }] },
    {
      role: 'assistant',
      content: 'let me see',
      tool_calls: [
        { id: 'c1', function: { name: 'add', arguments: '{"a":1}' } },
        { function: { name: 'now', arguments: { b: 2 } } },
      ],
    },
    { role: 'tool', content: '\u001b[2Jcleared', tool_call_id: 'c1' },
    { content: null },
  ];
  expect(conversationText(messages, painter(false))).toBe(`
Messages
  [1] user
    one

    two
  [2] assistant
    let me see
    -> add {"a":1} (c1)
    -> now {"b":2}
  [3] tool (c1)
    \\x1b[2Jcleared
  [4] unknown
`);
});

it('says when there is none', () => {
  expect(conversationText([], painter(false))).toBe('\nMessages\n  none is stored\n');
});
