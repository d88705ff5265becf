// A plugin beside ours that measures: in a session named "…place-<field>" each turn gets a text of
// its own, as recalled memories would be, in that field of the hook's answer.
const note = (turn) => `<probe>\n${`- note ${turn} that only this turn is shown. `.repeat(12)}\n</probe>`;

export default {
  id: "prompt-places",
  name: "Places for recalled text",
  description: "Puts a text of its own into a turn, at the place that the session's name says",
  register(api) {
    let turn = 0;
    api.on("before_prompt_build", async (_, { sessionKey }) => {
      const place = /place-(\w+)/i.exec(sessionKey ?? "")?.[1];
      // Session names are lower-case by the time they arrive here.
      const field = ["prependContext", "appendContext"].find((name) => name.toLowerCase() === place?.toLowerCase());
      return field && { [field]: note(++turn) };
    });
  },
};
