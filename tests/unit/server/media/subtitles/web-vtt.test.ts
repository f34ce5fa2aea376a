import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { readCues, toWebVtt } from '#server/media/web-vtt.ts';

const vttOf = (text: string) => toWebVtt(Buffer.from(text));
const oneCue = (text: string) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`;
const textOf = (source: string) => readCues(oneCue(source)).map(({ text }) => text);

/** Inverts the decoder of a code page with one or two bytes for a character. */
function encode(text: string, page: string): Buffer {
  const bytesOf = new Map<string, number[]>();
  const decoder = new TextDecoder(page);
  const put = (...bytes: number[]) => {
    const decoded = decoder.decode(Uint8Array.from(bytes));
    if (!bytesOf.has(decoded)) bytesOf.set(decoded, bytes);
  };
  for (let first = 0; first < 256; first += 1) put(first);
  if (!/^(?:windows|koi8|ibm|iso)/.test(page))
    for (let first = 0x81; first < 255; first += 1) for (let next = 0x40; next < 255; next += 1) put(first, next);
  return Buffer.from([...text].flatMap((character) => bytesOf.get(character) ?? []));
}

describe('subtitles become WebVTT', () => {
  test('from SRT', () => {
    expect(vttOf('1\n00:00:01,000 --> 00:00:02,500\nHello\nyou\n\n2\n01:02:03,4 --> 01:02:05,678\n<i>Bye</i>\n')).toBe(
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello\nyou\n\n01:02:03.400 --> 01:02:05.678\n<i>Bye</i>\n',
    );
  });

  test('from WebVTT, without its styles, regions, notes and positions', () => {
    const source = [
      'WEBVTT - a title',
      'STYLE\n::cue { background: url(https://example.org/x) }',
      'REGION\nid:r',
      'NOTE\nnot for viewers',
      'a-name\n00:01.000 --> 00:02.000 line:0 align:start region:r\nHello <c.yellow.bg_blue>you</c>',
      '<00:01.500>never shown',
    ].join('\n\n');
    expect(vttOf(source)).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello you\n');
  });

  test.each([
    ['UTF-8 with its mark', Buffer.from(`\ufeff${oneCue('Grüße')}`)],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${oneCue('Grüße')}`, 'utf16le')],
    ['UTF-16 the other way round', Buffer.from(`\ufeff${oneCue('Grüße')}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(oneCue('Grüße'), 'utf16le')],
    ['UTF-16 the other way round without a mark', Buffer.from(oneCue('Grüße'), 'utf16le').swap16()],
    ['windows-1252', Buffer.from(oneCue('Grüße'), 'latin1')],
  ])('whatever they are encoded in: %s', (_, bytes) => {
    expect(toWebVtt(bytes)).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nGrüße\n');
  });

  test.each([
    ['ru', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], 'Привет'],
    ['sr-Latn', [0xe8, 0x61, 0x6a], 'čaj'],
    ['bs', [0xe8, 0x61, 0x6a], 'čaj'],
    ['pl', [0xbf, 0xf3, 0xb3, 0x77], 'żółw'],
    ['el', [0xc3, 0xe5, 0xe9, 0xe1], 'Γεια'],
    ['ja', [0x82, 0xcd, 0x82, 0xa2], 'はい'],
    ['zh', [0xc4, 0xe3, 0xba, 0xc3], '你好'],
    ['zh-TW', [0xa7, 0x41, 0xa6, 0x6e], '你好'],
    ['fr', [0xc7, 0x61], 'Ça'],
    [null, [0xc7, 0x61], 'Ça'],
  ])('from an old file in the code page of its language: %s', (language, text, expected) => {
    const [head, tail] = oneCue('|').split('|') as [string, string];
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from(text), Buffer.from(tail)]);
    expect(toWebVtt(bytes, language)).toBe(`WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${expected}\n`);
  });

  test.each([
    ['windows-1251', 'Я не знаю, что тебе сказать. Он ушёл вчера и не вернулся.'],
    ['windows-1251', 'Я НЕ ЗНАЮ, ЧТО ТЕБЕ СКАЗАТЬ. ОН УШЁЛ ВЧЕРА И НЕ ВЕРНУЛСЯ.'],
    ['windows-1251', 'Я не знаю, що тобі сказати. Він пішов учора і не повернувся.'],
    ['windows-1251', 'Не знам какво да ти кажа. Той си тръгна снощи и не се върна.'],
    ['koi8-r', 'Я не знаю, что тебе сказать. Он ушёл вчера и не вернулся.'],
    ['ibm866', 'Я не знаю, что тебе сказать. Он ушёл вчера и не вернулся.'],
    ['windows-1253', 'Δεν ξέρω τι να σου πω. Έφυγε χθες το βράδυ και δεν γύρισε.'],
    ['windows-1253', 'ΔΕΝ ΞΕΡΩ ΤΙ ΝΑ ΣΟΥ ΠΩ. ΕΦΥΓΕ ΧΘΕΣ ΤΟ ΒΡΑΔΥ ΚΑΙ ΔΕΝ ΓΥΡΙΣΕ.'],
    ['windows-1255', 'אני לא יודע מה להגיד לך. הוא הלך אתמול בערב ולא חזר.'],
    ['windows-1256', 'لا أعرف ماذا أقول لك. لقد غادر مساء أمس ولم يعد بعد ذلك.'],
    ['windows-874', 'ฉันไม่รู้จะพูดอะไรกับคุณ เขาไปเมื่อคืนนี้และไม่กลับมาอีกเลย'],
    ['gb18030', '我不知道该对你说什么。他昨晚走了，再也没有回来。你确定吗？我当然确定。'],
    ['big5', '我不知道該對你說什麼。他昨晚走了，再也沒有回來。你確定嗎？我當然確定。'],
    ['euc-kr', '너한테 무슨 말을 해야 할지 모르겠어. 그는 어젯밤에 떠나서 다시는 돌아오지 않았어.'],
    ['shift_jis', 'こんにちは。何と言えばいいのか分かりません。彼は昨夜出て行って、戻りませんでした。'],
    ['windows-1252', 'ÄÖÜ! ÄRGER ÜBER ÄÖÜ, ÄÖÜ, ÄÖÜ, ÄÖÜ, ÄÖÜ, ÄÖÜ, ÄÖÜ, ÄÖÜ.'],
    ['windows-1252', "Où étais-tu hier ? Ça m'a été égal, à côté de l'hôtel, déjà à Noël."],
  ])('from an old file without a language, in the code page that its text shows: %s, %s', (page, text) => {
    const bytes = Buffer.concat([Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'), encode(text, page)]);
    expect(toWebVtt(bytes)).toBe(`WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}\n`);
  });

  const polish = 'Nie wiem, co ci powiedzieć. Wyszedł wczoraj i już nie wrócił. Będę na ciebie czekać.';
  const ukrainian = 'Я не знаю, що тобі сказати. Він пішов учора і її більше не бачив. Ти певен, що є вихід?';
  const traditional = '我不知道該對你說什麼。他昨晚走了，再也沒有回來。你確定嗎？我當然確定。';

  test.each([
    ['de', 'windows-1252', 'Ich weiß nicht, was ich dir sagen soll. Er ging gestern früh, für später wäre es schöner.'],
    [
      'fr',
      'windows-1252',
      'Je ne sais pas quoi te dire. Il est allé là-bas à Noël, où ça a été très gênant, bientôt déjà.',
    ],
    ['es', 'windows-1252', '¿Qué te diré mañana? No sé. Él se fue allí después, ¿verdad? ¡Sí! Mi corazón está así.'],
    [
      'pt',
      'windows-1252',
      'Não sei o que te dizer. Ele saiu ontem à noite, não é? Você está só, coração. Três irmãos.',
    ],
    ['it', 'windows-1252', 'Non so più cosa dirti, perché è già così. Lunedì se ne andò, e poi però tornerà quaggiù.'],
    ['sv', 'windows-1252', 'Jag vet inte vad jag ska säga. Han gick i går och är inte här än. Får jag gå på ön?'],
    [
      'da',
      'windows-1252',
      'Jeg ved ikke, hvad jeg skal sige på dansk. Han gik i går og er ikke på øen. Gør det så før lørdag.',
    ],
    [
      'fi',
      'windows-1252',
      'En tiedä, mitä sanoisin sinulle. Hän lähti eilen eikä tullut enää tänne. Älä häiritse häntä.',
    ],
    [
      'is',
      'windows-1252',
      'Ég veit ekki hvað ég á að segja þér. Hann fór í gær og það var síðasta skiptið. Ertu viss um það?',
    ],
    ['pl', 'windows-1250', polish],
    ['pl', 'iso-8859-2', polish],
    ['cs', 'windows-1250', 'Nevím, co ti mám říct. Včera večer odešel a už se nevrátil. Můžeš mi věřit, že přijde.'],
    [
      'sk',
      'windows-1250',
      'Neviem, čo ti mám povedať. Včera večer odišiel a už sa nevrátil. Môžeš mi veriť, že príde.',
    ],
    [
      'hu',
      'windows-1250',
      'Nem tudom, mit mondjak neked. Ő tegnap elment és többé nem jött vissza. Biztos vagy benne? Őrült nő, tűz.',
    ],
    [
      'ro',
      'windows-1250',
      'Nu ştiu ce să-ţi spun. A plecat aseară şi nu s-a mai întors. Eşti sigur că îl cunoşti pe băiat?',
    ],
    [
      'hr',
      'windows-1250',
      'Ne znam što da ti kažem. Otišao je jučer i više se nije vratio. Jesi li siguran da će doći? Možeš li čuti?',
    ],
    [
      'sr',
      'windows-1250',
      'Ne znam šta da ti kažem. Otišao je juče i više se nije vratio. Da li će doći? Možeš li čuti?',
    ],
    [
      'bs',
      'windows-1250',
      'Ne znam šta da ti kažem. Otišao je jučer i više se nije vratio. Hoće li doći? Možeš li čuti?',
    ],
    [
      'sr',
      'windows-1251',
      'Не знам шта да ти кажем. Отишао је јуче и више се није вратио. Да ли ће доћи? Можеш ли чути?',
    ],
    ['mk', 'windows-1251', 'Не знам што да ти кажам. Си замина вчера и повеќе не се врати. Дали си сигурен? Ќе дојде.'],
    ['uk', 'koi8-u', ukrainian],
    ['ru', 'koi8-r', 'Я не знаю, что тебе сказать. Он ушёл вчера и не вернулся.'],
    ['ru', 'ibm866', 'Я не знаю, что тебе сказать. Он ушёл вчера и не вернулся.'],
    [
      'tr',
      'windows-1254',
      'Sana ne söyleyeceğimi bilmiyorum. Dün akşam gitti ve bir daha dönmedi. Emin misin? Şimdi çık dışarı.',
    ],
    [
      'lt',
      'windows-1257',
      'Aš nežinau, ką tau pasakyti. Jis vakar išėjo ir daugiau negrįžo. Ar tu įsitikinęs, kad čia būsi?',
    ],
    [
      'lv',
      'windows-1257',
      'Es nezinu, ko tev teikt. Viņš vakar aizgāja un vairs neatgriezās. Vai tu esi pārliecināts? Šķiet, jā.',
    ],
    [
      'et',
      'windows-1257',
      'Ma ei tea, mida sulle öelda. Ta läks eile ära ja ei tulnud tagasi. Jäta šokolaad ja käi žüriis, mõtle.',
    ],
    ['fa', 'windows-1256', 'نمي دانم به تو چه بگويم. او ديشب رفت و ديگر برنگشت. آيا مطمئن هستي؟'],
    ['ja', 'euc-jp', 'こんにちは。何と言えばいいのか分かりません。彼は昨夜出て行って、戻りませんでした。'],
    ['zh', 'big5', traditional],
  ])('from an old file, whether its name tells the language or not: %s in %s', (language, page, text) => {
    const bytes = Buffer.concat([Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'), encode(text, page)]);
    const vtt = `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}\n`;
    expect([toWebVtt(bytes, language), toWebVtt(bytes)]).toEqual([vtt, vtt]);
  });

  test('from an old file of Vietnamese, whose tones are characters of their own', () => {
    const text = 'Tôi không biết phải nói gì với anh. Hôm qua anh ấy đã đi và không trở lại nữa.';
    // The page has the letters with their first marks, and the tones.
    const parted = text.normalize('NFD').replaceAll(/(\p{L})(\u0323?)([\u0302\u0306\u031b])/gu, '$1$3$2');
    const stored = parted.replaceAll(/\p{L}[\u0302\u0306\u031b]/gu, (letter) => letter.normalize('NFC'));
    const bytes = Buffer.concat([Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'), encode(stored, 'windows-1258')]);
    for (const language of ['vi', null]) expect(toWebVtt(bytes, language).normalize()).toContain(text);
  });

  test('from an old file in two languages, one below the other', () => {
    const chinese = '你确定吗？我当然确定。我不知道该对你说什么。他昨晚走了，再也没有回来。';
    const english =
      "Are you sure? Of course I am. I don't know what to tell you. He left last night and never came back.";
    const bytes = Buffer.concat([Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'), encode(chinese, 'gb18030')]);
    expect(toWebVtt(Buffer.concat([bytes, Buffer.from(`\n${english}`)]))).toContain(`\n${chinese}\n${english}\n`);
  });

  test.each([null, 'ru'])('from UTF-8 of which a character was cut: language %s', (language) => {
    const whole = Buffer.from(oneCue('Я не знаю, что тебе сказать.'));
    const at = whole.indexOf('сказать');
    const damaged = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
    expect(toWebVtt(damaged, language)).toContain('Я не знаю, что тебе \ufffdказать.');
  });

  test.each(['\r\n', '\r', '\n'])('whatever ends their lines: %j', (end) => {
    expect(readCues([oneCue('one'), oneCue('two')].join('\n').replaceAll('\n', end))).toHaveLength(2);
  });

  test('in the order of time', () => {
    expect(readCues('00:09.0 --> 00:10.0\nlate\n\n00:01.0 --> 00:02.0\nearly').map(({ text }) => text)).toEqual([
      'early',
      'late',
    ]);
  });
});

describe('broken cues', () => {
  test.each([
    ['that end before they begin', '00:00:02,000 --> 00:00:01,000\nx'],
    ['that take no time', '00:00:02,000 --> 00:00:02,000\nx'],
    ['with negative times', '-00:00:01,000 --> 00:00:02,000\nx'],
    ['with half a time', '00:00:01,000 -->\nx'],
    ['with words for times', 'soon --> later\nx'],
    ['without text', '00:00:01,000 --> 00:00:02,000\n'],
    ['of tags alone', '00:00:01,000 --> 00:00:02,000\n<b></b><script></script>'],
  ])('%s are dropped, and the next one is read', (_, broken) => {
    expect(readCues(`${broken}\n\n${oneCue('fine')}`).map(({ text }) => text)).toEqual(['fine']);
  });

  test('that run into each other are told apart', () => {
    expect(readCues('1\n00:01.0 --> 00:02.0\none\n2\n00:03.0 --> 00:04.0\ntwo').map(({ text }) => text)).toEqual([
      'one',
      'two',
    ]);
  });

  test.each([
    ['one\n\ntwo\n\n2', ['one\ntwo', 'next']],
    ['\none\n\n2', ['one', 'next']],
    ['42\n\n2', ['42', 'next']],
    ['one\n42\n', ['one\n42', 'next']],
    ['one\n\n2\n', ['one', 'next']],
    ['one\n\n2\nsoon --> later\nlost\n\n3', ['one', 'next']],
  ])('of SRT keep the text after a blank line: %j', (text, expected) => {
    const source = `1\n00:01.0 --> 00:02.0\n${text}\n00:03.0 --> 00:04.0\nnext\n\n4\n`;
    expect(readCues(source).map((cue) => cue.text)).toEqual(expected);
  });

  test.each([
    ['an archive', 'PK\x03\x04\x14\0\0\0'],
    ['zeros', '\0'.repeat(4_096)],
    ['a long line of arrows', '-->'.repeat(10_000)],
    ['many lines of arrows', '-->\n'.repeat(10_000)],
    ['JSON', '{"a":1}'],
    ['an empty file', ''],
  ])('none are made of %s', (_, text) => {
    expect(vttOf(text)).toBe('WEBVTT\n');
  });
});

describe('the text of a cue', () => {
  test.each([
    ['keeps emphasis', '<b>one</b> <I>two</I> <u>three</u>', '<b>one</b> <i>two</i> <u>three</u>'],
    ['closes what was left open', '<b><i>one', '<b><i>one</i></b>'],
    ['leaves out what closes nothing', 'one</b></i>', 'one'],
    ['loses fonts and places', '{\\an8}<font color="red" onclick="x()">one</font>', 'one'],
    ['loses drawings', 'a {\\p1}m 0 0 l 100 0 -3.5 100 m 1 1 b 1 2 3 4 5 6{\\p0}b', 'a b'],
    ['keeps measures', 'I am 5 m 10 tall, m 3 4 long', 'I am 5 m 10 tall, m 3 4 long'],
    ['has the spaces of ASS', 'one\\htwo', 'one\u00a0two'],
    ['can start no script', '<script>x()</script><img src=x onerror=x()>', 'x()'],
    ['loses comments', 'a<!-- b -- >c', 'ac'],
    ['can be no cue', 'one\n00:00:09.000--&gt;00:00:10.000', 'one\n00:00:09.000--&gt;00:00:10.000'],
    ['keeps signs that are no tags', '1 < 2 & <3 > 2', '1 &lt; 2 &amp; &lt;3 &gt; 2'],
    ['reads entities once', '&amp;lt;b&amp;gt; &lt;i&gt;', '&amp;lt;b&amp;gt; &lt;i&gt;'],
    ['loses control characters', 'o\0n\x1be\x9b', 'one'],
    ['takes the lines of one and no blank ones', ' one \n<b></b>\n two ', 'one\n<b></b>\ntwo'],
  ])('%s', (_, source, expected) => {
    expect(textOf(source)).toEqual([expected]);
  });

  test('is cut where it is too long, between characters', () => {
    const [text = ''] = textOf('\u{1f600}'.repeat(limits.cueCharacters + 1));
    expect(Array.from(text)).toHaveLength(limits.cueCharacters);
  });
});

describe('a million cues', () => {
  test('are read as far as the limit', () => {
    expect(readCues('0:0:1.0 --> 0:0:2.0\nx\n\n'.repeat(1_000_000))).toHaveLength(limits.subtitleCues);
  });
});
