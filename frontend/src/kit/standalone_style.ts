// Streamlit's CSS variables for views that stand outside of it, with the values that the app's theme gives them.

export const ALONE = `
.alone {
  --st-font: "Source Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", system-ui, sans-serif;
  --st-code-font: "Source Code Pro", monospace;
  --st-base-radius: 0.35rem;
  --st-button-radius: 0.35rem;
  --st-text-color: #22262b; --st-background-color: #fdfcf9;
  --st-secondary-background-color: #f3f1ea;
  --st-primary-color: #1f5f8b;
  --st-border-color: #d9d5ca;
  --st-border-color-light: #d9d5ca73;
  --st-blue-color: #3b82f6; --st-violet-color: #9b5de5; --st-yellow-color: #bb8300;
  --st-orange-color: #e0682b; --st-green-color: #079464; --st-red-color: #d94a57;
  --st-gray-color: #6b7280;
  --st-red-background-color: #fff1f2;
  --st-red-text-color: #9e303b;
  color-scheme: light;
  padding: 0.75rem;
  background: var(--st-background-color);
  text-align: start;
}

.alone.dark {
  --st-text-color: #e6e4de; --st-background-color: #15181c;
  --st-secondary-background-color: #1e2329;
  --st-primary-color: #7fb8e0;
  --st-border-color: #353b43;
  --st-border-color-light: #353b4373;
  --st-blue-color: #85b8f8; --st-violet-color: #bf8ef7; --st-yellow-color: #fbd54f;
  --st-orange-color: #f2a56d; --st-green-color: #7ed5b0; --st-red-color: #f2919a;
  --st-gray-color: #a9a5a0;
  --st-red-background-color: #412023;
  --st-red-text-color: #f2919a;
  color-scheme: dark;
}
`;
