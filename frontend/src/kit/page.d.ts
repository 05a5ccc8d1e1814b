// esbuild puts the text of a page into what it builds.
declare module "*.html" {
  const text: string;
  export default text;
}
