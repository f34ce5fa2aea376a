import type { FormEvent, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { HttpError } from '#app/platform/http/send.ts';
import type { FieldProblem } from '#contract/entities/error-reply.ts';
import { failures } from '#contract/failures.ts';
import { lateFailure } from '../messages.tsx';

type Values<Field extends string> = Record<Field, string>;
/** The sentences of refused fields; valid fields are absent. */
type Problems<Field extends string> = Partial<Record<Field, string>>;

interface FormState<Field extends string> {
  values: Values<Field>;
  /** A field's sentence is removed when the field is edited. */
  problems: Problems<Field>;
  /** The reason why the form was refused as a whole, when no single field is the cause. */
  refusal: string | null;
  isBusy: boolean;
  /** Number of refusals: with each one the focus moves to the first refused field. */
  refusals: number;
}

interface FormDeps<Field extends string> {
  /** Empty values of all fields, under the server's field names. */
  empty: Values<Field>;
  check: (values: Values<Field>) => { [Name in Field]?: string | null };
  /**
   * The signal is aborted when the form is reset before the reply arrives. `changed` has the values
   * that differ from those the form was filled with: meanwhile others may have changed the rest.
   */
  send: (values: Values<Field>, signal: AbortSignal, changed: Partial<Values<Field>>) => Promise<void>;
  /**
   * Maps a failed call to fields; by default those named in the reply. When it returns none, the
   * failure is shown for the whole form.
   */
  toProblems?: (error: unknown) => Problems<Field>;
  /** The sentence for the form as a whole; by default the server's message. */
  toRefusal?: (error: unknown) => string;
  /**
   * The sentence for a failure that comes after the form was closed; it is told over the view.
   * Without it nothing is told.
   */
  toLateSentence?: (error: unknown) => string;
  /**
   * After success the form stays busy until it is reset, because its page or dialog is about to
   * close.
   */
  staysBusy?: boolean;
}

/** A form's values, rules and submission. Views read `state` (`useForm`) and never write to it. */
export class Form<Field extends string> {
  readonly state: FormState<Field>;
  private readonly deps: FormDeps<Field>;
  private abort = new AbortController();
  private filled: Values<Field>;

  constructor(deps: FormDeps<Field>) {
    this.deps = deps;
    this.filled = deps.empty;
    this.state = proxy(this.initialState());
  }

  change(field: Field, value: string): void {
    this.state.values[field] = value;
    delete this.state.problems[field];
  }

  /** Sends the values if the rules accept them. Further calls while it is busy do nothing. */
  async submit(): Promise<void> {
    if (this.state.isBusy) return;
    const values = { ...this.state.values };
    const problems = pickRefused(this.deps.check(values), this.deps.empty);
    Object.assign(this.state, { problems, refusal: null });
    if (Object.keys(problems).length === 0) await this.send(values);
    else this.state.refusals += 1;
  }

  /** Shows why a call failed: at the fields concerned, or else for the whole form. */
  refuse(error: unknown): void {
    const { toProblems = readProblems, toRefusal = readRefusal, empty } = this.deps;
    const problems = pickRefused(toProblems(error), empty);
    const refusal = Object.keys(problems).length > 0 ? null : toRefusal(error);
    Object.assign(this.state, { problems, refusal, refusals: this.state.refusals + 1 });
  }

  dismissRefusal(): void {
    this.state.refusal = null;
  }

  /**
   * Empties the form, or fills it with `values`. A pending submission does not change it any more.
   */
  reset(values: Partial<Values<Field>> = {}): void {
    this.abort.abort();
    this.filled = { ...this.deps.empty, ...values };
    Object.assign(this.state, this.initialState(), { values: { ...this.filled } });
  }

  /** Takes over values that others have changed; those that were changed here stay. */
  follow(values: Values<Field>): void {
    const changed = this.changedAmong(this.state.values);
    this.filled = values;
    Object.assign(this.state.values, values, changed);
  }

  private async send(values: Values<Field>): Promise<void> {
    this.abort = new AbortController();
    const { signal } = this.abort;
    const tellLate = lateTeller();
    this.state.isBusy = true;
    try {
      await this.deps.send(values, signal, this.changedAmong(values));
      if (signal.aborted) return;
      this.filled = values;
      this.state.isBusy = this.deps.staysBusy ?? false;
    } catch (error) {
      if (signal.aborted) return void (this.deps.toLateSentence && tellLate(this.deps.toLateSentence(error)));
      this.state.isBusy = false;
      this.refuse(error);
    }
  }

  private changedAmong(values: Values<Field>): Partial<Values<Field>> {
    const changed: Partial<Values<Field>> = {};
    for (const field of Object.keys(values) as Field[])
      if (values[field] !== this.filled[field]) changed[field] = values[field];
    return changed;
  }

  private initialState(): FormState<Field> {
    return { values: { ...this.deps.empty }, problems: {}, refusal: null, isBusy: false, refusals: 0 };
  }
}

/**
 * Returns a function that tells over the view why a call failed whose dialog was closed meanwhile.
 * It tells nothing to whoever has signed in since.
 */
export function lateTeller(): (sentence: string) => void {
  const { person } = lateFailure;
  return (sentence) => {
    if (person === lateFailure.person) lateFailure.sentence = sentence;
  };
}

export function createForm<Field extends string>(deps: FormDeps<Field>): Form<Field> {
  return new Form(deps);
}

/** The messages for single fields in the server's reply, by its field names. */
export function readProblems(error: unknown): Record<string, string> {
  const problems: Record<string, string> = {};
  const details = error instanceof HttpError && Array.isArray(error.details) ? (error.details as FieldProblem[]) : [];
  for (const { field, message } of details) problems[field] = message;
  return problems;
}

/** The sentence for the failure of a call as a whole. */
export function readRefusal(error: unknown): string {
  return error instanceof HttpError ? error.message : failures.connection;
}

/** Keeps only the refused fields of this form. */
function pickRefused<Field extends string>(
  problems: { [Name in string]?: string | null },
  fields: Values<Field>,
): Problems<Field> {
  const picked: Problems<Field> = {};
  for (const field of Object.keys(fields) as Field[]) {
    const sentence = problems[field];
    if (sentence) picked[field] = sentence;
  }
  return picked;
}

/** A button in place of a field, such as a select on a TV, cannot be `aria-invalid`. */
const refusedField = '[aria-invalid="true"], [data-invalid]';

/** The props of a field component. */
export interface FieldProps {
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

interface DrawnForm<Field extends string> {
  state: FormState<Field>;
  field: (name: Field) => FieldProps;
  /** Props of the `<form>` element. Native validation is off: the contract has the rules. */
  formProps: { ref: RefObject<HTMLFormElement | null>; noValidate: true; onSubmit: (event: FormEvent) => void };
}

/**
 * Connects a form to React. After a refusal the first refused field gets the focus, so that a
 * screen reader reads it with its sentence.
 */
export function useForm<Field extends string>(form: Form<Field>): DrawnForm<Field> {
  // The snapshot is synchronous: the caret jumps to the end of a field whose value is set after its
  // event.
  const state = useSnapshot(form.state, { sync: true }) as FormState<Field>;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (state.refusals > 0) element.current?.querySelector<HTMLElement>(refusedField)?.focus();
  }, [state.refusals]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void form.submit();
  };
  return {
    state,
    field: (name) => ({
      value: state.values[name],
      problem: state.problems[name],
      onChange: (value) => form.change(name, value),
    }),
    formProps: { ref: element, noValidate: true, onSubmit },
  };
}
