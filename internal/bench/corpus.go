package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"unicode"
)

// A corpus of believable statements, four in five English, the rest Chinese.
// The same number always gives the same text.
var (
	people   = strings.Fields("Ada Bruno Chiara Dmitri Elif Farid Greta Hana Ivo Jun Katya Luis Mina Nils Oya Pia Rafael Sami Tove Yusuf")
	services = strings.Fields("billing search ledger gateway notifier catalog checkout indexer scheduler reports profiles media")
	tools    = strings.Fields("PostgreSQL Redis Kafka NATS Envoy Terraform Grafana SQLite ClickHouse Vault")
	cities   = strings.Fields("Lisbon Osaka Bonn Nairobi Toronto Shenzhen Oslo Prague Seoul Hanoi")
	reasons  = []string{"because latency matters there", "after the outage in spring", "since legal asked for it", "to keep the bill down", "to make on-call calmer"}
	zhPeople = strings.Fields("王芳 李雷 张伟 刘洋 陈静 赵磊 孙丽 周杰")
	zhThings = strings.Fields("支付系统 搜索服务 数据仓库 推荐引擎 消息队列 权限网关 报表平台")
	zhWays   = strings.Fields("灰度发布 日志采集 向量检索 全文索引 监控告警 容器编排")
	zhDrinks = strings.Fields("乌龙茶 黑咖啡 豆浆 绿豆汤 普洱茶")
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func statement(i int) (text, category string) {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	n := 1000 + r.IntN(9000)
	if r.IntN(5) == 0 {
		switch r.IntN(3) {
		case 0:
			return fmt.Sprintf("%s喜欢喝%s，工位号是%d", pick(r, zhPeople), pick(r, zhDrinks), n), "preference"
		case 1:
			return fmt.Sprintf("%s决定改用%s，单号%d", pick(r, zhThings), pick(r, zhWays), n), "decision"
		}
		return fmt.Sprintf("%s负责%s的%s，分机%d", pick(r, zhPeople), pick(r, zhThings), pick(r, zhWays), n), "entity"
	}
	svc := fmt.Sprintf("svc-%s-eu%d", pick(r, services), 1+r.IntN(4))
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s owns %s in %s, extension %d.", pick(r, people), svc, pick(r, cities), n), "entity"
	case 1:
		return fmt.Sprintf("%s moved from %s to %s %s (ticket %d).", svc, pick(r, tools), pick(r, tools), pick(r, reasons), n), "decision"
	case 2:
		return fmt.Sprintf("%s listens on port %d behind %s %s.", svc, n, pick(r, tools), pick(r, reasons)), "fact"
	}
	return fmt.Sprintf("%s wants reports about %s every week, template %d, %s.", pick(r, people), svc, n, pick(r, reasons)), "preference"
}

func question(i int, chinese bool) string {
	r := rand.New(rand.NewPCG(uint64(i), 2))
	if chinese {
		if r.IntN(2) == 0 {
			return pick(r, zhThings) + "为什么改用" + pick(r, zhWays)
		}
		return "谁负责" + pick(r, zhThings) + "的" + pick(r, zhWays)
	}
	svc := fmt.Sprintf("svc-%s-eu%d", pick(r, services), 1+r.IntN(4))
	switch r.IntN(3) {
	case 0:
		return "who owns " + svc + " in " + pick(r, cities)
	case 1:
		return "which port does the " + pick(r, services) + " service use with " + pick(r, tools)
	}
	return "why did " + svc + " leave " + pick(r, tools)
}

// dimensions of the stand-in model where nothing else is said: those of the embedded one.
const dimensions = 384

// vector hashes words and pairs of letters into buckets, so that texts that
// share words have near vectors. It stands in for a model whose time would
// otherwise hide the engine's.
func vector(text string, width int) []float32 {
	v := make([]float32, width)
	add := func(s string, weight float32) {
		h := fnv.New32a()
		h.Write([]byte(s))
		sum := h.Sum32()
		if sum&1 == 0 {
			weight = -weight
		}
		v[int(sum>>1)%width] += weight
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		add(word, 1)
		runes := []rune(word)
		for i := 0; i+2 <= len(runes); i++ {
			add(string(runes[i:i+2]), 0.4)
		}
	}
	var norm float64
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	if norm == 0 {
		v[0], norm = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(norm))
	}
	return v
}
