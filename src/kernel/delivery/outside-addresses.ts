/** Whether mail can be sent there: one address, without a name or a list around it. */
export const isMailAddress = (text: string): boolean => /^[^\s@<>"(),:;\\]+@[A-Za-z0-9.-]+$/.test(text);

/** Whether it is a web address, without credentials in it. Whether it may be called is the egress guard's business. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
}
