// esbuild puts the text of a page into the bundle.
declare module "*.html" {
  const text: string;
  export default text;
}
