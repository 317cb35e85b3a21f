import { Injectable } from '@nestjs/common';
import { IsString } from 'class-validator';
import { defineTool, Tool, type DynamicTools, type RolloutRequest, type ToolChoice } from 'nestjs-osmosis';

class Zone {
  @IsString() zone!: string;
}

// Any provider may have tools. These are offered to every agent; `agents: [...]` narrows that.
@Injectable()
export class ClockTools {
  @Tool({ description: 'The time in a zone, e.g. Europe/Oslo' })
  now({ zone }: Zone): string {
    return new Date(0).toLocaleTimeString('en-GB', { timeZone: zone });
  }
}

// Tools that are known only at run time: an agent with this method gets what it gives, for each rollout anew.
export class PerRequestTools implements DynamicTools {
  getTools(request: RolloutRequest): ToolChoice[] {
    const { topic = 'anything' } = request.metadata as { topic?: string };
    return [
      'now',
      defineTool<{ question: string }>({
        name: 'ask_expert',
        description: `Ask an expert on ${topic}`,
        input: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
        execute: ({ question }) => `An expert on ${topic} would not know either: ${question}`,
      }),
    ];
  }
}
