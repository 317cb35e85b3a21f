import type { CommandDeclaration } from '../../cli/declaration.js';

export const COMPLETION: CommandDeclaration = {
  name: 'completion',
  summary: 'Print a completion script for a shell',
  description: 'Writes a script to stdout that completes commands, options and their values in the given shell.',
  arguments: [
    { name: 'shell', description: 'The shell to complete in', required: true, choices: ['bash', 'zsh', 'fish'] },
  ],
  examples: [
    { command: 'source <(osmosis completion bash)', description: 'bash, in ~/.bashrc' },
    { command: 'source <(osmosis completion zsh)', description: 'zsh, in ~/.zshrc after compinit' },
    {
      command: 'osmosis completion fish > ~/.config/fish/completions/osmosis.fish',
      description: 'fish, once',
    },
  ],
};
