import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeReport } from '../../src/report/store.ts';
import { type SampleReport, sampleReport, sampleTrajectory, withRollouts } from '../fixtures/report/sample.ts';

const CHROMIUM = '/usr/bin/chromium';
const there = existsSync(CHROMIUM);
if (!there && process.env.CI_REQUIRE_BROWSER === '1') throw new Error(`no browser: ${CHROMIUM} is not installed`);
if (!there) console.log(`skipped: ${CHROMIUM} is not installed (CI_REQUIRE_BROWSER=1 makes this an error)`);

const HOSTILE =
  '</script><img src="http://127.0.0.1:9/x.png" onerror="alert(1)"><script>alert(2)</script>\u202e\u001b[31m';

/** The sample with an agent that tries to break out of the page, a line of a megabyte and very long names. */
const hostileReport = (): SampleReport => {
  const sample = sampleReport();
  const [first, second, ...rest] = sample.data.rollouts;
  if (first === undefined || second === undefined) throw new Error('the sample has no rollouts');
  const long = { ...first, model: `a/${'very-long-model-name'.repeat(6)}`, reason: HOSTILE };
  const attack = {
    ...second,
    rows: second.rows.map((r) => ({
      ...r,
      reason: HOSTILE,
      evidence: r.evidence.map((e) => ({ ...e, quote: HOSTILE })),
    })),
  };
  sample.trajectories.set(first.key, sampleTrajectory('long', 'y'.repeat(1_000_000), true));
  sample.trajectories.set(second.key, sampleTrajectory('hostile', HOSTILE, false));
  return { data: withRollouts(sample.data, [long, attack, ...rest]), trajectories: sample.trajectories };
};

describe.skipIf(!there)('the report in a browser', () => {
  let browser: Browser;
  let dir: string;
  const pages = { inline: '', beside: '' };

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
    });
    dir = await mkdtemp(join(tmpdir(), 'report-e2e-'));
    const { data, trajectories } = hostileReport();
    const trajectory = async (key: string) => trajectories.get(key) ?? null;
    pages.inline = (await writeReport(join(dir, 'inline'), data, { trajectory })).index;
    pages.beside = (await writeReport(join(dir, 'beside'), data, { trajectory, inlineUpTo: 1000 })).index;
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  });

  /** Opens a page and keeps what the console and the network saw. */
  const open = async (path: string, width: number, scheme: 'light' | 'dark' = 'light', hash = '') => {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const errors: string[] = [];
    const requests: string[] = [];
    page.on('console', (m) => (m.type() === 'error' || m.type() === 'warning' ? errors.push(m.text()) : undefined));
    page.on('pageerror', (e) => errors.push(String(e)));
    page.on('dialog', (d) => {
      errors.push(`dialog: ${d.message()}`);
      void d.dismiss();
    });
    page.on('request', (r) => requests.push(r.url()));
    await page.goto(`${pathToFileURL(path)}${hash}`);
    return { page, errors, requests, close: () => context.close() };
  };
  const openAll = (page: Page, which = 'details'): Promise<void> =>
    page.locator(which).evaluateAll((all) => {
      for (const d of all) d.setAttribute('open', '');
    });
  const overflow = (page: Page): Promise<number> => page.locator('html').evaluate((e) => e.scrollWidth - e.clientWidth);

  test.each(['inline', 'beside'] as const)(
    '%s: no error, no network, every link resolves with all open',
    async (kind) => {
      const { page, errors, requests, close } = await open(pages[kind], 1440);
      await openAll(page);
      await expect.poll(() => page.locator('.rollout .checks').count(), { timeout: 20_000 }).toBe(8);
      const hrefs = await page.locator('a[href]').evaluateAll((all) => all.map((a) => String(a.getAttribute('href'))));
      const ids = new Set(await page.locator('[id]').evaluateAll((all) => all.map((e) => `#${e.id}`)));
      const broken = hrefs.filter((href) => !ids.has(href));
      expect(hrefs.length).toBeGreaterThan(40);
      expect(broken).toEqual([]);
      expect(errors).toEqual([]);
      expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
      await close();
    },
    60_000,
  );

  // The same elements at both sizes: the second time only what differs, the colours, is checked.
  test.each([
    [390, 'light', null],
    [1440, 'dark', ['color-contrast']],
  ] as const)(
    'axe finds nothing serious and nothing overflows at %i pixels, %s',
    async (width, scheme, rules) => {
      const { page, errors, close } = await open(pages.inline, width, scheme);
      expect(await overflow(page)).toBe(0);
      await openAll(page, 'main details:not(.rollout, .rollout *), #r1, #r1 details');
      expect(await overflow(page)).toBe(0);
      // The page's policy forbids scripts from elsewhere, so the checker is put in by the browser itself.
      await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
      const issues = await page.evaluate(async (only) => {
        const { axe } = globalThis as unknown as {
          axe: {
            run(options: unknown): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
          };
        };
        const { violations } = await axe.run(only === null ? {} : { runOnly: only });
        return violations
          .filter((v) => v.impact === 'serious' || v.impact === 'critical')
          .map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 200)}`);
      }, rules);
      expect(issues).toEqual([]);
      expect(errors).toEqual([]);
      await close();
    },
    60_000,
  );

  test.each(['inline', 'beside'] as const)(
    '%s: a link to a turn opens the rollout and shows the turn',
    async (kind) => {
      const { page, close } = await open(pages[kind], 1440, 'light', '#r3-t0-3');
      await page.waitForSelector('#r3-t0-3', { state: 'visible' });
      expect(await page.locator('#r3-t0-3 .pin a').textContent()).toBe('ClaudeMd_commit_format');
      await page.locator('#r3-t0-3 .pin a').click();
      expect(await page.locator('#r3-c2').evaluate((row) => row.matches(':focus'))).toBe(true);
      await close();
    },
    60_000,
  );

  test('tables sort by their figures, with the keyboard too', async () => {
    const { page, close } = await open(pages.inline, 1440);
    const firstModel = () => page.locator('table.sortable').first().locator('tbody th').first().textContent();
    const button = page
      .locator('table.sortable')
      .first()
      .locator('thead th', { hasText: 'CSR' })
      .first()
      .locator('button');
    await button.focus();
    await page.keyboard.press('Enter');
    const down = await firstModel();
    await page.keyboard.press('Enter');
    expect(await firstModel()).not.toBe(down);
    expect(await page.locator('table.sortable').first().locator('thead th[aria-sort]').count()).toBe(1);
    await close();
  }, 60_000);

  test('the filter hides rollouts that do not match', async () => {
    const { page, close } = await open(pages.inline, 1440);
    await page.fill('#filter', 'careless notes-skill');
    expect(await page.locator('details.rollout:visible').count()).toBe(1);
    await close();
  }, 60_000);

  test('a figure shows the rollouts behind it', async () => {
    const { page, close } = await open(pages.inline, 1440);
    await page.locator('a[data-show]').nth(1).click();
    const models = await page.locator('details.rollout:visible summary strong').allTextContents();
    expect(new Set(models)).toEqual(new Set(['script/careless']));
    await page.locator('#show-all').click();
    expect(await page.locator('details.rollout:visible').count()).toBe(8);
    await close();
  }, 60_000);

  test('without scripts the inlined page still holds everything', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(pathToFileURL(pages.inline).href);
    await page.locator('#r3 > summary').click();
    await page.locator('#r3-t0-3').waitFor({ state: 'visible' });
    await context.close();
  }, 60_000);
});
