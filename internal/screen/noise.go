package screen

import (
	"regexp"
	"strings"
	"unicode"
)

// minNoiseWidth is the width below which a message cannot hold a fact.
const minNoiseWidth = 5

var (
	greeting = whole(
		`(?:hi|hello|hey|hiya|howdy|yo|greetings|hallo|moin|servus)(?:,? (?:there|again|all|everyone|everybody|team|folks|you|guys|zusammen))?(?:,? how are (?:you|things)(?: (?:doing|today))?)?`,
		`good (?:morning|afternoon|evening|night|day)(?:,? (?:to you|all|everyone|team|there))?`,
		`guten (?:morgen|tag|abend)|gute nacht`,
		`(?:你|您|大家|早上|上午|中午|下午|晚上)好(?:啊|呀)?|嗨|哈喽|早安|晚安|早上好`,
		`こんにちは|こんばんは|おはよう(?:ございます)?|안녕(?:하세요)?`,
	)
	// A greeting and one more word: a name.
	greetingByName = regexp.MustCompile(`^\s*(?i:hi|hello|hey|hallo)[ ,]+\p{Lu}\p{L}{1,20}[\s!.,]*$`)

	acknowledgement = whole(
		`(?:ok|okay|k|yes|yep|yeah|no|nope|sure|fine|great|cool|nice|perfect|right|exactly|agreed|understood|noted|done|got it|all right|alright|sounds good|makes sense|will do|no problem|you're welcome|bye|goodbye|see you)(?:[,.!]? (?:thanks|thank you|great|then|please))?`,
		`(?:many )?thanks(?: (?:a lot|so much|again|very much))?|thank you(?: (?:very much|so much|again))?|thx|danke(?: schön)?|vielen dank`,
		`好的?|可以|行|嗯+|是的|对|不是|不用|没问题|收到|明白了?|知道了|了解|谢谢(?:你|您|啦)?|多谢|再见|拜拜`,
		`はい|いいえ|了解(?:です|しました)?|ありがとう(?:ございます)?|네|감사합니다|고마워요?`,
	)

	denial = opening(
		`(?:(?:i'm |i am )?sorry,? (?:but )?)?i (?:don't|do not|didn't|did not) (?:currently )?(?:have|see|find) (?:any |specific |enough )*(?:information|data|memory|memories|record|records|recollection|details|context)`,
		`(?:(?:i'm |i am )?sorry,? (?:but )?)?i (?:don't|do not|can't|cannot) (?:recall|remember)`,
		`i'm not sure about (?:that|this|it)`,
		`(?:there are )?no (?:relevant |matching |related )?(?:memories|memory|results?) (?:were |was )?(?:found|available)`,
		`我(?:不记得|没有(?:相关|任何)?(?:的)?(?:记忆|信息|记录))`, `没有找到(?:相关|任何)?(?:的)?(?:记忆|结果|记录)`,
	)

	metaQuestion = opening(
		`do you (?:still )?(?:remember|recall)`, `do you know (?:about|what i|who i)`, `(?:can|could) you (?:remember|recall)`,
		`did i (?:ever )?(?:tell|mention)`, `have i (?:ever )?(?:told|mentioned)`, `what did i (?:say|tell|mention)`, `what do you (?:remember|know) about me`,
		`erinnerst du dich`,
	)
	// "Can you remember that my badge is 4417" hands over a fact.
	handsOver = regexp.MustCompile(`(?:remember|recall|tell you|told you|mention|mentioned|dich)(?: this)?(?:,? that |:| to |,? dass )`)
	metaDense = regexp.MustCompile(`^(?:你还?记得.*|.*记不记得.*|你(?:还)?知道.*吗|我之前(?:说|提)(?:过|的)?.*(?:吗|什么)|.*还记得.*吗|只回复none.*)$`)

	frustration = opening(
		`you (?:never|don't|can't|keep not) remember(?:ing)?`, `you (?:keep|always) forget(?:ting)?`, `why (?:do|can't|don't) you (?:keep )?(?:forget(?:ting)?|remember)`,
		`why is (?:my|your|the) memory (?:broken|gone|empty)`, `what (?:has )?changed$`,
	)

	boilerplate = whole(
		`(?:a )?(?:fresh|new) session(?: (?:started|begins|has started))?`, `(?:new|fresh) (?:chat|conversation)(?: started)?`,
		`heartbeat(?:[_ ]ok)?`, `ping|pong|test(?:ing)?|test(?:ing)? 1 2 3`, `no[_ ]reply`,
		`query -> none`, `no explicit solution(?: (?:found|given))?`,
	)
)

// Noise reports whether a message as a whole is not worth remembering, and why.
func Noise(text string) (reason string, noisy bool) {
	s := plain(text)
	switch {
	case !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return "it holds no words", true
	case greeting.MatchString(s), greetingByName.MatchString(text):
		return "it is a greeting", true
	case acknowledgement.MatchString(s):
		return "it is an acknowledgement", true
	case boilerplate.MatchString(s):
		return "it is boilerplate of a session", true
	case width(s) < minNoiseWidth:
		return "it is too short to state anything", true
	case !oneSentence(text):
		return "", false
	case denial.MatchString(s):
		return "it says that nothing is remembered", true
	case metaQuestion.MatchString(s) && !handsOver.MatchString(s), metaDense.MatchString(s):
		return "it asks about the memory instead of stating something", true
	case frustration.MatchString(s):
		return "it complains about the memory instead of stating something", true
	}
	return "", false
}
