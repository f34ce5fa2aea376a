import { proxy } from 'valtio/vanilla';
import { HttpError } from '#app/platform/http/http-error.ts';
import type { FieldProblem } from '#contract/entities/error-reply.ts';
import * as failures from '#contract/failures.ts';

type Values<Field extends string> = Record<Field, string>;
type Problems<Field extends string> = Partial<Record<Field, string | null>>;

export interface FormState<Field extends string> {
  values: Values<Field>;
  /** The sentence of each field that was refused; it goes when the field is edited. */
  problems: Problems<Field>;
  /** Why the whole was refused, where no field is to blame. */
  refusal: string | null;
  isBusy: boolean;
  /** How often it was refused: each time the focus goes to the first field that was. */
  refusals: number;
}

export interface Form<Field extends string> {
  readonly state: FormState<Field>;
  change(field: Field, value: string): void;
  /** Sends it unless a field is refused here; what the server refuses comes back to its field. Two presses are one. */
  submit(): Promise<void>;
  /** Empty again, or with what there is to begin with. */
  reset(values?: Partial<Values<Field>>): void;
}

interface Plan<Field extends string> {
  /** Fields by the names that the server uses for them. */
  empty: Values<Field>;
  check: (values: Values<Field>) => Problems<Field>;
  send: (values: Values<Field>) => Promise<void>;
}

export function createForm<Field extends string>({ empty, check, send }: Plan<Field>): Form<Field> {
  const fresh = (): FormState<Field> => ({ values: { ...empty }, problems: {}, refusal: null, isBusy: false, refusals: 0 });
  const state = proxy(fresh());

  const refuse = (problems: Problems<Field>, refusal: string | null) => {
    Object.assign(state, { problems, refusal, refusals: state.refusals + 1 });
  };

  return {
    state,
    change: (field, value) => {
      state.values[field] = value;
      delete state.problems[field];
    },
    submit: async () => {
      if (state.isBusy) return;
      const values = { ...state.values };
      const problems = check(values);
      if (Object.values(problems).some((sentence) => sentence !== null)) return refuse(problems, null);
      Object.assign(state, { isBusy: true, problems: {}, refusal: null });
      try {
        await send(values);
      } catch (error) {
        const named = problemsIn(error, empty);
        refuse(named, Object.keys(named).length > 0 ? null : sentenceOf(error));
      } finally {
        state.isBusy = false;
      }
    },
    reset: (values = {}) => void Object.assign(state, fresh(), { values: { ...empty, ...values } }),
  };
}

function sentenceOf(error: unknown): string {
  return error instanceof HttpError ? error.message : failures.connection;
}

/** The fields of this form that the server's reply names. */
function problemsIn<Field extends string>(error: unknown, fields: Values<Field>): Problems<Field> {
  const details = error instanceof HttpError && Array.isArray(error.details) ? (error.details as FieldProblem[]) : [];
  const ours = details.filter(({ field }) => field in fields);
  return Object.fromEntries(ours.map(({ field, message }) => [field, message])) as Problems<Field>;
}
