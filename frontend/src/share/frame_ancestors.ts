// Which sites may show a page in a frame, by its Content-Security-Policy, as browsers decide it (CSP level 3, 6.7.2).

type Origin = Pick<URL, "origin" | "protocol">;
const DIRECTIVE = /(?:^|;)\s*frame-ancestors\b([^;]*)/i;
// A scheme, a host, or both, and a port. The page of a site has no path, so a source with another one than "/" is none.
const SOURCE = /^(?:([a-z][\w+.-]*:)(?:\/\/|$))?(?:(\*|(?:\*\.)?[\w.-]+)(?::(\d+|\*))?\/?)?$/;

// What a person typed as the address of a page -> its site; null where it is none.
export function siteOf(typed: string): URL | null {
  const address = typed.includes("://") ? typed : `https://${typed.trim()}`;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  // A URL may have quotes, semicolons and wildcards in its name, which would say something in a policy and in a shell.
  return /^https?:[\w.-]+$/.test(url.protocol + url.hostname) ? url : null;
}

// `policies`: the header, where several are joined by commas, each of which has to allow it; null: there is none.
export function mayFrame(policies: string | null, site: URL, server: Origin): boolean {
  return listsOf(policies).every((sources) => sources.some((source) => matches(source.toLowerCase(), site, server)));
}

// What VIZ_FRAME_ANCESTORS has to be, so that this site may show it, too.
export function settingFor(policies: string | null, site: URL): string {
  return [...listsOf(policies).flat(), site.origin].filter((source) => /^[^']/.test(source)).join(" ");
}

// The sources of each policy that has the directive.
function listsOf(policies: string | null): string[][] {
  return (policies ?? "").split(",").flatMap((policy) => {
    const found = DIRECTIVE.exec(policy);
    return found ? [found[1].trim().split(/\s+/)] : [];
  });
}

// What is allowed without encryption is allowed with it. Numbers are hosts like any other, as in browsers, though the
// standard knows none but 127.0.0.1.
function matches(source: string, { protocol, hostname, port }: URL, server: Origin): boolean {
  if (source === "*") return true;
  const [whole, scheme = server.protocol, name, at] = SOURCE.exec(source === "'self'" ? server.origin : source) ?? [];
  const usual = protocol === "https:" ? 443 : 80;
  if (!whole || (scheme !== protocol && (scheme !== "http:" || usual === 80))) return false;
  if (!name) return true;
  if (at !== "*" && Number(at ?? usual) !== Number(port || usual)) return false;
  return name.startsWith("*") ? hostname.endsWith(name.slice(1)) : name === hostname;
}
