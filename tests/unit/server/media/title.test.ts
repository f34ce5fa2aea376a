import { describe, expect, it } from 'vitest';
import { limits } from '#contract/limits.ts';
import { countCharacters } from '#contract/rules/text.ts';
import { chooseDescription, chooseTitle, readableName } from '../../../../src/server/media/title.ts';

/** Names of files as phones, cameras, downloaders, ripping programs and people write them. */
const names: readonly (readonly [filename: string, title: string])[] = [
  // Phones and cameras.
  ['IMG_20230714_183022.mp4', '14 July 2023, 18:30'],
  ['VID_20210105_080502.mp4', '5 January 2021, 08:05'],
  ['PXL_20231224_201544123.mp4', '24 December 2023, 20:15'],
  ['PXL_20230714_183022123.TS.mp4', '14 July 2023, 18:30'],
  ['20190803_141516.mp4', '3 August 2019, 14:15'],
  ['20190803_141516(0).mp4', '3 August 2019, 14:15 (0)'],
  ['VID-20220301-WA0012.mp4', '1 March 2022, WhatsApp 12'],
  ['WhatsApp Video 2023-07-14 at 18.30.22.mp4', 'WhatsApp Video, 14 July 2023, 18:30'],
  ['IMG_1234.MOV', 'IMG 1234'],
  ['MVI_0042.AVI', 'MVI 0042'],
  ['GX010123.MP4', 'GX010123'],
  ['DJI_0042.MP4', 'DJI 0042'],
  ['DJI_20230714183022_0001_D.MP4', '14 July 2023, 18:30 (1)'],
  ['VID_20200229_235959_HSR_120.mp4', '29 February 2020, 23:59'],
  ['2023-07-14 18-30-22.mkv', '14 July 2023, 18:30'],
  ['2023-07-14_18-30-22.mkv', '14 July 2023, 18:30'],
  ['2023-07-14 18.30.22.mov', '14 July 2023, 18:30'],
  ['Screen Recording 2024-02-09 at 10.15.42.mov', 'Screen Recording, 9 February 2024, 10:15'],
  ['Screenrecorder-2022-11-30-21-07-55.mp4', 'Screenrecorder, 30 November 2022, 21:07'],
  ['signal-2023-05-06-12-34-56-789.mp4', '6 May 2023, 12:34'],
  ['2018-12-31.mp4', '31 December 2018'],
  ['20181231.mp4', '31 December 2018'],
  // Names that people write, with dates.
  ['2023-07-14 Birthday party.mp4', 'Birthday party, 14 July 2023'],
  ['2023-07-14 - Birthday party.mp4', 'Birthday party, 14 July 2023'],
  ['20230714 Birthday party.mp4', 'Birthday party, 14 July 2023'],
  ['20230714_birthday_party.mp4', 'Birthday party, 14 July 2023'],
  ['Trip to Rome 2019-08-03.mp4', 'Trip to Rome, 3 August 2019'],
  ['Trip to Rome (2019-08-03).mp4', 'Trip to Rome, 3 August 2019'],
  ['Geburtstag Oma 14.07.2023.mp4', 'Geburtstag Oma, 14 July 2023'],
  ['Holiday 2019.mp4', 'Holiday 2019'],
  ['Holiday_2019.mp4', 'Holiday 2019'],
  ['Christmas 2021 - opening presents.mov', 'Christmas 2021 - opening presents'],
  ['school play 2016-05-21 part 2.m4v', 'School play, 21 May 2016, part 2'],
  ['standup_2024-03-11_team_blue.mp4', 'Standup, 11 March 2024, team blue'],
  ['Zoom Meeting 2021.02.03 09.30.mp4', 'Zoom Meeting, 3 February 2021, 09:30'],
  // Names that people write, without.
  ['big_buck_bunny.mp4', 'Big buck bunny'],
  ['Big_Buck_Bunny.webm', 'Big Buck Bunny'],
  ['BigBuckBunny.mp4', 'Big Buck Bunny'],
  ['BigBuckBunny_320x180.mp4', 'Big Buck Bunny'],
  ['big_buck_bunny_720p_h264.mov', 'Big buck bunny'],
  ['how-to-bake-bread.mp4', 'How to bake bread'],
  ['spider-man.mp4', 'Spider-man'],
  ['summer-holiday.mp4', 'Summer holiday'],
  ['new-york.mp4', 'New york'],
  ['ice-cream.mp4', 'Ice cream'],
  ['lecture-03.mp4', 'Lecture 03'],
  ['Holiday-2019.mp4', 'Holiday 2019'],
  ['IMG-1234.MOV', 'IMG 1234'],
  ['final-v2.mp4', 'Final v2'],
  ['non-stop.mp4', 'Non-stop'],
  ['time-lapse.mp4', 'Time-lapse'],
  ['x-ray.mp4', 'X-ray'],
  ['F-16.mp4', 'F-16'],
  ['Jean-Luc.mp4', 'Jean-Luc'],
  ['mother-in-law.mp4', 'Mother in law'],
  ['my cat.mp4', 'My cat'],
  ['iPhone unboxing.mp4', 'iPhone unboxing'],
  ['README.mp4', 'README'],
  ['final_cut_v2.mp4', 'Final cut v2'],
  ['Grandpa (1).mp4', 'Grandpa (1)'],
  ['Grandpa - Copy.mp4', 'Grandpa - Copy'],
  ['01 - Introduction.mp4', '01 - Introduction'],
  ['01. Introduction.mp4', '01. Introduction'],
  ['01_introduction.mp4', '01 Introduction'],
  ['Lecture 3.1 Matrices.mp4', 'Lecture 3.1 Matrices'],
  ['What is v1.2.mp4', 'What is v1.2'],
  ['My%20Summer%20Video.mp4', 'My Summer Video'],
  ['100% cotton.mp4', '100% cotton'],
  ['My+Summer+Video.mp4', 'My Summer Video'],
  ['Dr.Strangelove.avi', 'Dr Strangelove'],
  ['A video... with dots.mp4', 'A video... with dots'],
  ['Überraschung_für_Jürgen.mp4', 'Überraschung für Jürgen'],
  ['Été à la mer.mp4', 'Été à la mer'],
  ['東京の夜景.mp4', '東京の夜景'],
  ['Прогулка_по_лесу.mp4', 'Прогулка по лесу'],
  ['12345.mp4', '12345'],
  ['0.mp4', '0'],
  ['d290f1ee-6c54-4b01-90e6-d701748f0851.mp4', 'd290f1ee-6c54-4b01-90e6-d701748f0851'],
  ['video.mp4', 'Video'],
  ['.mp4', '.mp4'],
  ['Sunset 🌅 beach.mp4', 'Sunset 🌅 beach'],
  ['  spaces   inside .mp4', 'Spaces inside'],
  // Films.
  ['The.Big.Lebowski.1998.1080p.BluRay.x264-GROUP.mkv', 'The Big Lebowski (1998)'],
  ['Inception.2010.mkv', 'Inception (2010)'],
  ['Inception (2010).mkv', 'Inception (2010)'],
  ['Inception (2010) [1080p].mp4', 'Inception (2010)'],
  ['Inception.2010.2160p.UHD.BluRay.REMUX.HDR.HEVC.mkv', 'Inception (2010)'],
  ['Blade.Runner.2049.2017.1080p.WEB-DL.DD5.1.H264.mkv', 'Blade Runner 2049 (2017)'],
  ['2012.2009.720p.BluRay.mp4', '2012 (2009)'],
  ['Spider-Man.Into.the.Spider-Verse.2018.1080p.mkv', 'Spider-Man Into the Spider-Verse (2018)'],
  ['Night_of_the_Living_Dead_1968_720p.mp4', 'Night of the Living Dead (1968)'],
  ['Night of the Living Dead 1968 DVDRip XviD.avi', 'Night of the Living Dead (1968)'],
  ['Metropolis (1927) (1080p BluRay x265).mkv', 'Metropolis (1927)'],
  ['Sintel.2010.4K.webm', 'Sintel (2010)'],
  ['tears_of_steel_1080p.mov', 'Tears of steel'],
  // Series.
  ['Planet.Earth.S02E05.Grasslands.1080p.WEB-DL.mkv', 'Planet Earth S02E05: Grasslands'],
  ['Planet.Earth.S02E05.mkv', 'Planet Earth S02E05'],
  ['planet.earth.s02e05.grasslands.mkv', 'Planet earth S02E05: Grasslands'],
  ['Planet Earth - S02E05 - Grasslands.mkv', 'Planet Earth S02E05: Grasslands'],
  ['Planet Earth 2x05 Grasslands.avi', 'Planet Earth S02E05: Grasslands'],
  ['Battlestar.Galactica.2003.S01E01.33.720p.mkv', 'Battlestar Galactica (2003) S01E01: 33'],
  ['S01E03 - The Storm.mp4', 'S01E03: The Storm'],
  ['Agents.of.S.H.I.E.L.D.S01E02.mkv', 'Agents of S.H.I.E.L.D. S01E02'],
  ['[SubsPlease] Sousou no Frieren - 05 (1080p) [F1A2B3C4].mkv', 'Sousou no Frieren - 05'],
  ['The.Daily.Show.2023.07.14.Guest.Name.720p.WEB.mkv', 'The Daily Show, 14 July 2023, Guest Name'],
  // Downloads.
  ['Never Gonna Give You Up [dQw4w9WgXcQ].webm', 'Never Gonna Give You Up'],
  ['Never Gonna Give You Up-dQw4w9WgXcQ.mp4', 'Never Gonna Give You Up'],
  ['How to whistle (Official Video) [HD].mp4', 'How to whistle (Official Video)'],
  ['Who is it？ ｜ Episode 3 [a1B2c3D4e5F].mp4', 'Who is it? | Episode 3'],
  ['20200115 - Rick Astley - Live [dQw4w9WgXcQ].mp4', 'Rick Astley - Live, 15 January 2020'],
  ['Drone flight over Iceland (4K 60fps).mp4', 'Drone flight over Iceland'],
  ['My_Trip_to_Rome_(2019)_[1080p].mp4', 'My Trip to Rome (2019)'],
  ['Tutorial： Knots [123456789].mp4', 'Tutorial: Knots'],
];

describe('the title that a file name gives', () => {
  it('is tried with more than a hundred names', () => {
    expect(names.length).toBeGreaterThan(100);
  });

  it.each(names)('%s reads %s', (filename, title) => {
    expect(readableName(filename)).toBe(title);
  });
});

describe('the chosen title', () => {
  const filename = 'IMG_1234.mp4';

  it('is the one of the container, else the one beside the video', () => {
    expect(chooseTitle({ container: ' A  day\nout ', sidecar: 'Other', filename })).toBe('A day out');
    expect(chooseTitle({ container: null, sidecar: 'Other', filename })).toBe('Other');
    expect(chooseTitle({ container: null, sidecar: null, filename })).toBeNull();
  });

  it.each([
    'Lavf58.29.100',
    'HandBrake 1.6.1 2023012300',
    'untitled',
    'Untitled Project 3',
    'My Movie 1',
    'IMG_1234',
    'img_1234.MP4',
    '20230714',
    '-',
    'Encoded by somebody',
    'https://example.com/watch?v=1',
    'd290f1ee-6c54-4b01-90e6-d701748f0851',
    'broken \uFFFD text',
    '\u200B',
  ])('passes over %j, which a program wrote', (container) => {
    expect(chooseTitle({ container, sidecar: 'A day out', filename })).toBe('A day out');
  });

  it('is made readable when it is the name of a release', () => {
    const container = 'The.Big.Lebowski.1998.1080p.BluRay.x264-GROUP';
    expect(chooseTitle({ container, sidecar: null, filename })).toBe('The Big Lebowski (1998)');
    expect(chooseTitle({ container, sidecar: null, filename: `${container}.mkv` })).toBeNull();
  });

  it('has at most 200 characters and no hidden ones, however long the text is', () => {
    const title = chooseTitle({ container: `a\u202E${'🌊'.repeat(100_000)}`, sidecar: null, filename });
    expect(countCharacters(title ?? '')).toBe(limits.titleCharacters);
    expect(title).not.toContain('\u202E');
    expect(countCharacters(readableName(`${'w_'.repeat(500_000)}.mp4`))).toBe(limits.titleCharacters);
  });
});

describe('the chosen description', () => {
  it('keeps its lines, without those that programs wrote', () => {
    expect(chooseDescription('https://example.com/', 'One \u0007 line\r\n\n\n\nand another')).toBe(
      'One  line\n\nand another',
    );
    expect(chooseDescription(null, 'Created with a program')).toBeNull();
  });

  it('has at most 2,000 characters', () => {
    const description = chooseDescription('é'.repeat(1_000_000));
    expect(countCharacters(description ?? '')).toBe(limits.descriptionCharacters);
  });
});
