/// The signs by which a cache reports that it served a response (RFC 9111 section 5.1, RFC 9211, and customary
/// fields).
enum CacheHit {
    /// Returns the sign that a response came from a cache, or nil if there is none.
    static func sign(of response: ReceivedResponse) -> String? {
        if let age = response["Age"].flatMap({ Int($0) }), age > 0 { return "Age: \(age)" }
        for name in ["X-Cache", "X-Cache-Status", "CF-Cache-Status"] {
            if response.items(name).contains(where: isHit) { return "\(name): hit" }
        }
        if response.values("Cache-Status").contains(where: isStandardHit) { return "Cache-Status: hit" }
        // Varnish adds the number of the request that fetched the response to the number of this request.
        let isVarnishHit = response["X-Varnish"].map { $0.split(separator: " ").count > 1 } ?? false
        return isVarnishHit ? "X-Varnish names two requests" : nil
    }

    /// Returns whether the item reports a hit, such as `HIT from edge-3` or `TCP_MEM_HIT`. The name of the cache
    /// follows “from” and may be any text.
    private static func isHit(_ item: String) -> Bool {
        let word = item.firstRange(of: " from ").map { item[..<$0.lowerBound] } ?? item[...]
        return word.split { !$0.isLetter }.contains { ["hit", "refreshhit"].contains($0) }
    }

    /// Returns whether a cache in the list has the parameter `hit` (RFC 9211 section 2.1), either without a value
    /// or as the Boolean `?1`.
    private static func isStandardHit(_ list: String) -> Bool {
        split(list[...], at: ",").contains { member in
            split(member, at: ";").dropFirst().contains { parameter in
                ["hit", "hit=?1"].contains(parameter.trimming { $0 == " " || $0 == "\t" })
            }
        }
    }

    /// Splits a structured field (RFC 8941) at each separator that is outside quotation marks.
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
