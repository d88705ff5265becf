package config

import "strings"

// ModelOff as ModelFile switches the embedded model off.
const ModelOff = "off"

// finishModel takes the file of the embedded model from the environment: which
// file a build uses is a matter of the installation, not of the settings.
func (p *parser) finishModel() {
	name, _ := p.env.Lookup("MEMORY_PRO_MODEL")
	switch name = strings.TrimSpace(name); name {
	case "", ModelOff:
		p.c.ModelFile = name
	default:
		path, err := p.env.localPath(name)
		if err != nil {
			p.c.notice("MEMORY_PRO_MODEL: %v; the program's own model is used", err)
			return
		}
		p.c.ModelFile = path
	}
}
