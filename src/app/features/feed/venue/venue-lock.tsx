import { Delete } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { BackLayer } from '#app/platform/input/back-stack.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { tryPin, unlockVenue, venueSetup } from '#app/state/venue-setup.ts';
import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { after, now } from '#device/timers.ts';
import { lastTouch } from './venue-run.ts';
import styles from './venue-screen.module.css';

const lineMs = 5_000;
const holdMs = 3_000;
const padIdleMs = 60_000;
const minDigits = 4;
const maxDigits = 8;

/** Swallows every key and touch, and says how to unlock. */
export function VenueLock() {
  const { pin } = useSnapshot(venueSetup);
  const [isLineShown, setLineShown] = useState(false);
  const [step, setStep] = useState<'locked' | 'asking' | 'open'>('locked');
  useEffect(() => {
    const onHeld = () => {
      setLineShown(false);
      setStep(venueSetup.pin === null ? 'open' : 'asking');
    };
    if (step === 'locked') return lockInput(setLineShown, onHeld);
    // The layers of the lock and of the pad are closed by now: they would take Profile along.
    if (step === 'open') unlockVenue();
    return;
  }, [step]);
  return (
    <>
      <div role="status" className={styles.line}>
        {isLineShown && (
          <p className={styles.words}>
            {pin === null
              ? 'Venue mode. Hold OK for 3 s to open Profile.'
              : 'Venue mode. Hold OK for 3 s and enter the PIN.'}
          </p>
        )}
      </div>
      {step === 'asking' && <PinPad onRight={() => setStep('open')} onClose={() => setStep('locked')} />}
    </>
  );
}

/**
 * Listens before anybody else.
 * @param show shows or hides the line
 * @param onHeld is called when OK or a finger was held
 * @returns a function that stops it
 */
function lockInput(show: (isShown: boolean) => void, onHeld: () => void): () => void {
  let cancelLine = () => {};
  let cancelHold: (() => void) | null = null;
  const note = () => {
    lastTouch.at = now();
    show(true);
    cancelLine();
    cancelLine = after(lineMs, () => show(false));
  };
  const letGo = () => {
    cancelHold?.();
    cancelHold = null;
  };
  const hold = () => {
    cancelHold ??= after(holdMs, () => {
      ignoreRepeats();
      onHeld();
    });
  };
  const onEvent = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (endsHold(event)) letGo();
    if (event.type !== 'keydown' && event.type !== 'pointerdown') return;
    note();
    if (event.type === 'pointerdown' || isOk(event as KeyboardEvent)) hold();
    else letGo();
  };
  // Back of a browser leads here first.
  let layer: BackLayer;
  const openLayer = () => {
    layer = backStack().open(() => {
      note();
      openLayer();
    });
  };
  openLayer();
  for (const type of lockedEvents) window.addEventListener(type, onEvent, { capture: true, passive: false });
  return () => {
    layer.close();
    letGo();
    cancelLine();
    for (const type of lockedEvents) window.removeEventListener(type, onEvent, { capture: true });
  };
}

/** A key that is still held presses nothing of what opens, until it is let go. */
function ignoreRepeats(): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.type === 'keydown' && event.repeat) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    for (const type of keyEvents) window.removeEventListener(type, onKey, true);
  };
  for (const type of keyEvents) window.addEventListener(type, onKey, true);
}

const keyEvents = ['keydown', 'keyup'] as const;
const holdEnds = ['keyup', 'pointerup', 'pointercancel'];
const lockedEvents = ['keydown', 'pointerdown', ...holdEnds, 'click', 'dblclick', 'contextmenu', 'wheel'];

const endsHold = ({ type }: Event) => holdEnds.includes(type);

function isOk(event: KeyboardEvent): boolean {
  return event.key === ' ' || remoteKeyOf(event) === 'ok';
}

/** Digits by buttons or keys. It closes by itself when nobody goes on. */
function PinPad({ onRight, onClose }: { onRight: () => void; onClose: () => void }) {
  const [digits, setDigits] = useState('');
  const [refusal, setRefusal] = useState<string | null>(null);
  useBackLayer(onClose);
  const ok = useRef<HTMLButtonElement>(null);
  const isTyped = useRef(false);
  const isWhole = digits.length >= minDigits;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each digit begins the time anew
  useEffect(() => after(padIdleMs, onClose), [digits, refusal, onClose]);
  const add = (digit: string, isByKey = false) => {
    isTyped.current = isByKey;
    setDigits((typed) => (typed + digit).slice(0, maxDigits));
  };
  const remove = () => setDigits((typed) => typed.slice(0, -1));
  const submit = () => {
    lastTouch.at = now();
    const result = tryPin(digits);
    setDigits('');
    if (result === 'right') onRight();
    else setRefusal(result === 'wrong' ? 'Wrong PIN.' : `Too many wrong PINs. Try again in ${result} s.`);
  };
  useEffect(() => {
    // Digits count wherever the focus is. On a TV, Backspace may be its Back key.
    const onKey = (event: KeyboardEvent) => {
      if (/^\d$/.test(event.key)) add(event.key, true);
      else if (event.key === 'Backspace' && digits !== '') remove();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  });
  // After typed digits, OK or Enter submits them, in place of pressing another digit.
  useEffect(() => {
    if (isWhole && isTyped.current) ok.current?.focus();
  }, [isWhole]);
  return (
    <Modal title="Enter the PIN" size="small" onClose={onClose}>
      <div className={styles.entry}>
        <p className={styles.digits} role="status" aria-label={`${digits.length} digits`}>
          {'•'.repeat(digits.length)}
        </p>
        {refusal !== null && digits === '' && <p role="alert">{refusal}</p>}
      </div>
      <div className={styles.pad}>
        {[...'123456789'].map((digit) => (
          <Digit key={digit} digit={digit} onPress={add} />
        ))}
        <button type="button" className={styles.key} aria-label="Delete the last digit" onClick={remove}>
          <Delete aria-hidden="true" />
        </button>
        <Digit digit="0" onPress={add} />
        <Button ref={ok} label="OK" isDisabled={!isWhole} onPress={submit} />
      </div>
    </Modal>
  );
}

function Digit({ digit, onPress }: { digit: string; onPress: (digit: string) => void }) {
  return (
    <button type="button" className={styles.key} onClick={() => onPress(digit)}>
      {digit}
    </button>
  );
}
