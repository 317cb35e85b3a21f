/**
 * Text of others for a terminal: its control characters are shown, not obeyed, so that a judged text can neither move the
 * cursor nor rewrite what stands above it. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
