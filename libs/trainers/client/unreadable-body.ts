import { describeThrown, JsonSyntaxError, readJsonText } from '#domain';

/** Up to here the position of a fault is looked for; a larger body would hold up the event loop. */
const LARGEST_SEARCHED = 4 * 1024 * 1024;
const NON_FINITE = /^(?:NaN|-?Infinity)/;

/**
 * Why the body of a successful answer is no JSON, in words that lead to the cause: a stream that nobody asked for (case
 * RS-11), a web page (case NT-05), Python's `NaN` (case TC-09), or where the text breaks.
 */
export function unreadableBody(text: string, contentType: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return `the body is empty (content-type ${contentType})`;
  if (contentType.startsWith('text/event-stream') || trimmed.startsWith('data:')) {
    return "the body is a stream (content-type 'text/event-stream') although the request says stream: false";
  }
  if (/data:\s*\[DONE\]$/.test(trimmed)) {
    return "the body ends with 'data: [DONE]', as only content-type 'text/event-stream' does";
  }
  if (trimmed.startsWith('<')) return `the body is a web page, no JSON (content-type ${contentType})`;
  return `the body is no JSON: ${syntaxFault(text)} (content-type ${contentType})`;
}

function syntaxFault(text: string): string {
  if (text.length > LARGEST_SEARCHED) return `broken somewhere in ${text.length} characters`;
  try {
    readJsonText(text);
    return 'not readable';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) return describeThrown(error);
    const literal = NON_FINITE.exec(text.slice(error.offset, error.offset + 9))?.[0];
    return literal ? `the literal ${literal} at position ${error.offset}` : error.message;
  }
}
