import { rowsText, type Row } from '../../account/account-text.js';
import type { Paint } from '../../cli/paint.js';
import { durationText } from './duration-text.js';
import { rewardText, stateText, statusColour } from './list-table.js';
import type { FailureJson, RewardJson, RolloutJson } from './rollout-json.js';
import { idText, indented, oneLine } from './safe-text.js';
import { attempts, phasesOf, timelineText } from './timeline.js';

const INDENT = '  ';

/** Everything but the messages. */
export function showText(rollout: RolloutJson, nowMs: number, paint: Paint): string {
  const section = (title: string, body: string): string => `\n${paint('bold', title)}\n${body}`;
  const { metrics, rewards, failure } = rollout;
  const phases = phasesOf(rollout, nowMs).map(([phase, ms]): Row => [oneLine(phase), durationText(ms)]);
  return [
    `${paint('bold', `Rollout ${idText(rollout.rollout_id)}`)}\n`,
    rowsText(headRows(rollout, paint)),
    section('Timeline', timelineText(rollout)),
    section('Time', rows(phases)),
    ...(metrics ? [section('Figures', rows(figureRows(metrics)))] : []),
    ...(rewards.length > 0 ? [section('Rewards', rows(rewards.map(rewardRow)))] : []),
    ...(failure ? [section('Failure', failureText(failure))] : []),
  ].join('');
}

function headRows(rollout: RolloutJson, paint: Paint): Row[] {
  const { agent, dialect, status, reward, turns, metrics, error_message: error, delivery } = rollout;
  const delivered = delivery && `${delivery.state}, ${attempts(delivery.attempts)}`;
  const given: (Row | false)[] = [
    ['Agent', oneLine(`${agent} (${dialect})`)],
    ['State', oneLine(stateText(rollout))],
    status !== null && ['Status', paint(statusColour(status), oneLine(status))],
    ['Reward', reward === null ? 'none' : rewardText(reward)],
    metrics !== null && ['Turns', String(turns)],
    delivered !== null && ['Delivery', oneLine(delivered)],
    error !== null && ['Error', oneLine(error)],
  ];
  return given.filter((row) => row !== false);
}

/** Known figures by their names; those of a newer server as they come. */
function figureRows(metrics: Readonly<Record<string, number>>): Row[] {
  return Object.entries(metrics).map(([name, value]): Row => {
    const words = name.replace(/_ms$/, '').replace(/^num_/, '').replaceAll('_', ' ');
    return [oneLine(words), name.endsWith('_ms') ? durationText(value) : String(value)];
  });
}

function rewardRow({ name, value, weight, duration_ms: took, failure }: RewardJson): Row {
  const why = failure ? `: ${failureWords(failure)}: ${oneLine(failure.message)}` : '';
  const result = value === undefined ? 'none' : rewardText(value);
  return [oneLine(name), `${result} (weight ${weight}, ${durationText(took)})${why}`];
}

function failureText(failure: FailureJson): string {
  const { message, retryable, evidence } = failure;
  const advice = retryable ? 'the same request may end well when sent again' : 'the same request would end so again';
  const known = evidence === undefined ? '' : `${INDENT}Evidence:\n${indented(json(evidence), INDENT.repeat(2))}\n`;
  return `${INDENT}${failureWords(failure)}; ${advice}\n${indented(message, INDENT)}\n${known}`;
}

function failureWords({ class: kind, phase, code }: FailureJson): string {
  return oneLine(`${kind}, in phase ${phase}, ${code}`);
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'none';
}

function rows(given: readonly Row[]): string {
  return indented(rowsText(given), INDENT);
}
