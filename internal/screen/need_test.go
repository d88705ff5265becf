package screen

import (
	"strings"
	"testing"
)

// What needs no memory, in the languages this package knows.
func TestNeedsNoMemory(t *testing.T) {
	for _, prompt := range strings.Split(`hello there
Good morning!
ok thanks
go ahead
👍👍
?!
/status of everything
ls -la
git push origin main
run the tests
HEARTBEAT
ping
[System] the model was switched
Hallo zusammen
Alles klar
mach weiter
Danke dir!
Guten Morgen
Bonjour !
merci beaucoup
vas-y
d'accord
¡Hola!
muchas gracias
vale
adelante
Buongiorno
va bene
grazie mille
Bom dia
obrigada
está bem
Dobrý den
díky
pokračuj
Привет!
спасибо большое
продолжай
хорошо
你好
谢谢你
謝謝
继续
好的
早上好
こんにちは
ありがとうございます
続けて
了解です
안녕하세요
감사합니다
계속해줘
네
nice day today`, "\n") {
		if !SkipRecall(prompt) {
			t.Errorf("%q asks for memories", prompt)
		}
	}
}

// What needs memory though it is short, has no question mark, or begins like
// something that needs none.
func TestNeedsMemory(t *testing.T) {
	for _, prompt := range strings.Split(`my name?
who am I
as we agreed
same as last time
who is Lin
when is it due
run it as always
git push like last time
hello, what did I say about tea
continue where we stopped yesterday
Thanks! And what was the port of the staging database again
wie immer bitte
mein Geburtstag
wann ist die Abgabe
wo wohnt Anna
comme d'habitude
mon adresse
qui est Paul
où est la clé
como siempre
mi dirección
¿quién es Ana
come al solito
il mio indirizzo
dov'è la chiave
como sempre
meu endereço
onde está a chave
jako vždy
moje adresa
kdo je Petr
как обычно
мой адрес
кто такой Иван
где ключ лежит
我的生日
老样子
上次说的
我叫什么
林是谁
我的地址
跟上回一樣
覚えてる
私の誕生日
鍵はどこですか
いつもの
내 생일
지난번처럼
열쇠 어디 있어
누구야 민수는`, "\n") {
		if SkipRecall(prompt) {
			t.Errorf("%q asks for no memories", prompt)
		}
	}
}

// The setting's bound is about statements: a question is a question.
func TestShortestPrompt(t *testing.T) {
	for _, c := range []struct {
		prompt   string
		shortest int
		skip     bool
	}{
		{"plan the garden work", 40, true}, {"plan the garden", 5, false}, {"which tea?", 40, false},
		{"plan the garden work of last week", 200, false}, {"预订会议室", 1, false}, {"预订会议室", 10, true}, {"预订会议室吗？", 10, false},
	} {
		if got := SkipRecallBelow(c.prompt, c.shortest); got != c.skip {
			t.Errorf("SkipRecallBelow(%q, %d) = %t", c.prompt, c.shortest, got)
		}
	}
}
