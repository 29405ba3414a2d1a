interface Cookie {
  readonly value: string;
  readonly path: string;
}

export interface Page {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
}

const MOST_REDIRECTS = 10;

/** As much of a browser as forms need: cookies by path, redirects, forms. It stops before a redirect that leaves the origin. */
export class Browser {
  private readonly jar = new Map<string, Cookie>();
  /** Where a redirect wanted to leave to. */
  left: URL | undefined;

  /** @param network what the service should take for the browser's address, where the test is a trusted proxy */
  constructor(
    private readonly origin: string,
    private readonly network?: string,
  ) {}

  get cookies(): ReadonlyMap<string, Cookie> {
    return this.jar;
  }

  async open(url: string | URL, init: RequestInit = {}): Promise<Page> {
    let target = new URL(url, this.origin);
    let options = init;
    for (let i = 0; i < MOST_REDIRECTS; i++) {
      const answer = await this.once(target, options);
      const location = answer.headers.get('location');
      const page = { status: answer.status, url: target.href, headers: answer.headers, html: await answer.text() };
      if (location === null || answer.status < 300 || answer.status > 399) return page;
      const next = new URL(location, target);
      if (next.origin !== this.origin) {
        this.left = next;
        return page;
      }
      [target, options] = [next, {}];
    }
    throw new Error('the browser goes in circles');
  }

  /** Submits the form of a page whose action ends so, with its fields. */
  async submit(page: Page, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const form = [...page.html.matchAll(/<form method="post" action="([^"]+)"/g)].find(([, a]) => a?.endsWith(action));
    if (form?.[1] === undefined) throw new Error(`no form «${action}» on:\n${page.html}`);
    const headers = { origin: this.origin, 'content-type': 'application/x-www-form-urlencoded' };
    return this.open(form[1], { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
  }

  private async once(url: URL, init: RequestInit): Promise<Response> {
    const cookies = [...this.jar].filter(
      ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')),
    );
    const headers = new Headers(init.headers);
    if (cookies.length > 0)
      headers.set('cookie', cookies.map(([key, { value }]) => `${key.split(';')[0]}=${value}`).join('; '));
    if (this.network !== undefined) headers.set('x-forwarded-for', this.network);
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.keep(line);
    return answer;
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; ?/);
    const at = pair.indexOf('=');
    const path = attributes.find((a) => a.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
    const expires = attributes.find((a) => a.toLowerCase().startsWith('expires='))?.slice(8);
    const key = `${pair.slice(0, at)};${path}`;
    if (expires !== undefined && Date.parse(expires) < Date.now()) this.jar.delete(key);
    else this.jar.set(key, { value: pair.slice(at + 1), path });
  }
}
