/// What caches say about where an answer came from (RFC 9111 section 5.1, RFC 9211, and what is customary).
enum CacheHit {
    /// What shows that an answer came out of a cache; nil where nothing does.
    static func sign(of answer: RawAnswer) -> String? {
        if let age = answer["Age"].flatMap({ Int($0) }), age > 0 { return "Age: \(age)" }
        for name in ["X-Cache", "X-Cache-Status", "CF-Cache-Status"] {
            if answer.items(name).contains(where: isHit) { return "\(name): hit" }
        }
        if answer.values("Cache-Status").contains(where: isStandardHit) { return "Cache-Status: hit" }
        // Varnish names the request that fetched it besides this one.
        let isVarnishHit = answer["X-Varnish"].map { $0.split(separator: " ").count > 1 } ?? false
        return isVarnishHit ? "X-Varnish names two requests" : nil
    }

    /// Whether it is a word such as `HIT from edge-3` or `TCP_MEM_HIT`: behind “from” stands the cache's name, which may be anything.
    private static func isHit(_ item: String) -> Bool {
        let word = item.firstRange(of: " from ").map { item[..<$0.lowerBound] } ?? item[...]
        return word.split { !$0.isLetter }.contains { ["hit", "refreshhit"].contains($0) }
    }

    /// Whether a cache in the list has the parameter `hit` (RFC 9211 section 2.1): by itself, or as the boolean `?1`.
    private static func isStandardHit(_ list: String) -> Bool {
        split(list[...], at: ",").contains { member in
            split(member, at: ";").dropFirst().contains { parameter in
                ["hit", "hit=?1"].contains(parameter.trimming { $0 == " " || $0 == "\t" })
            }
        }
    }

    /// Parts a structured field (RFC 8941) where the separator stands outside of quotation marks.
    private static func split(_ text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }
}
