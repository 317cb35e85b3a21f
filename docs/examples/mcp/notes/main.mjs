import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const NOTES = new Map([['oslo', 'The capital of Norway. 60 degrees north.']]);

serveStdio(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const inputSchema = fromJsonSchema({
    type: 'object',
    properties: { topic: { type: 'string' } },
    required: ['topic'],
  });
  server.registerTool('read_note', { description: 'Reads the note on a topic', inputSchema }, async ({ topic }) => ({
    content: [{ type: 'text', text: NOTES.get(topic.toLowerCase()) ?? 'There is no such note' }],
  }));
  return server;
});
