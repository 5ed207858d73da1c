/** A playlist: tracks, queues, sharing. @type {import('../sample.mjs').Domain} */
export const playlist = {
  title: 'mixtape',
  about: 'Tracks, queues and sharing for a music player. Durations are in seconds.',
  files: {
    'src/duration.js': `/** @typedef {{ song: string, artist: string, seconds: number, plays: number }} Track */

//@filler
/** Returns the total length of a list of tracks. */
export function playingTime(tracks) {
  return tracks.reduce((sum, track) => sum + track.seconds, 0);
}

/** True when the tracks fit on one side of a tape; a side may be filled to the brim. */
export function fitsOnTape(tracks, minutesPerSide) {
  return playingTime(tracks) <= minutesPerSide * 60;
}

/** Returns the time that is left of a track that is being played. */
export function timeLeft(track, secondsPlayed) {
  return track.seconds - secondsPlayed;
}
`,
    'src/charts.js': `//@filler
/** The songs by popularity, most played on top. */
export function topSongs(tracks) {
  const chart = [...tracks].sort((less, more) => more.plays - less.plays);
  return chart.map((track) => track.song);
}
`,
    'src/volume.js': `export const LOUDEST = 11;

//@filler
/** Turns the knob, but never beyond the loudest setting. */
export function turnUp(volume, clicks) {
  return Math.min(volume + clicks, LOUDEST);
}
`,
    'src/queue.js': `//@filler
/** The songs that one artist still has in the queue. */
export function songsBy(artist, queue) {
  const songs = [];
  for (let slot = 0; slot < queue.length; slot += 1) {
    if (queue[slot].artist === artist) songs.push(queue[slot].song);
  }
  return songs;
}
`,
    'src/sharing.js': `import { playingTime } from './duration.js';

//@filler
/** Returns the name of the tape, its length and a short link, for a friend. */
export async function shareCard(tapeName, tracks, shortenLink) {
  const minutes = Math.ceil(playingTime(tracks) / 60);
  return { tapeName, minutes, link: await shortenLink(tapeName) };
}
`,
    'test/tracks.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topSongs } from '../src/charts.js';
import { fitsOnTape, playingTime, timeLeft } from '../src/duration.js';

const waltz = { song: 'Harbour Waltz', artist: 'The Ferrymen', seconds: 200, plays: 12 };
const blues = { song: 'Rooftop Blues', artist: 'Ida Lind', seconds: 400, plays: 40 };

test('adds up the playing time', () => {
  assert.equal(playingTime([waltz, blues]), 600);
});

test('a full side still fits', () => {
  assert.equal(fitsOnTape([waltz, blues], 10), true);
});

test('too much music does not fit', () => {
  assert.equal(fitsOnTape([waltz, blues], 9), false);
});

test('counts down while a track plays', () => {
  assert.equal(timeLeft(waltz, 150), 50);
});

test('the most played song leads the chart', () => {
  assert.deepEqual(topSongs([waltz, blues]), ['Rooftop Blues', 'Harbour Waltz']);
});
`,
    'test/player.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { songsBy } from '../src/queue.js';
import { turnUp } from '../src/volume.js';

test('finds the songs of an artist, the one in front included', () => {
  const queue = [
    { song: 'Rooftop Blues', artist: 'Ida Lind' },
    { song: 'Harbour Waltz', artist: 'The Ferrymen' },
    { song: 'Night Tram', artist: 'Ida Lind' },
  ];
  assert.deepEqual(songsBy('Ida Lind', queue), ['Rooftop Blues', 'Night Tram']);
});

test('turns up the volume by clicks', () => {
  assert.equal(turnUp(4, 3), 7);
});

test('stops at the loudest setting', () => {
  assert.equal(turnUp(9, 5), 11);
});
`,
    'test/sharing.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareCard } from '../src/sharing.js';

test('a card carries the short link', async () => {
  const card = await shareCard('Summer', [{ seconds: 150 }], async (tapeName) => \`tape.example/\${tapeName}\`);
  assert.deepEqual(card, { tapeName: 'Summer', minutes: 3, link: 'tape.example/Summer' });
});
`,
  },
  bugs: {
    boundary: {
      path: 'src/duration.js',
      right: 'playingTime(tracks) <= minutes',
      wrong: 'playingTime(tracks) < minutes',
    },
    off_by_one: { path: 'src/queue.js', right: 'let slot = 0', wrong: 'let slot = 1' },
    operator: {
      path: 'src/duration.js',
      right: 'track.seconds - secondsPlayed',
      wrong: 'track.seconds + secondsPlayed',
    },
    missing_await: { path: 'src/sharing.js', right: 'await shortenLink(', wrong: 'shortenLink(' },
    sort_order: { path: 'src/charts.js', right: 'more.plays - less.plays', wrong: 'less.plays - more.plays' },
    clamp: { path: 'src/volume.js', right: 'Math.min(volume', wrong: 'Math.max(volume' },
  },
  fillers: [
    `/** \`185\` becomes \`3:05\`. */
export function asClock(seconds) {
  const rest = String(seconds % 60).padStart(2, '0');
  return \`\${Math.floor(seconds / 60)}:\${rest}\`;
}
`,
    `/** Returns the text for the display of the player. */
export function displayName(track) {
  return \`\${track.artist} – \${track.song}\`;
}
`,
    `/** Live recordings say so in brackets. */
export function isLiveRecording(track) {
  return track.song.endsWith('(live)');
}
`,
    `// A tape has two sides, and it is bad when a song is cut in half
// by the end of the first. Think of that before you change this file.
`,
  ],
};
