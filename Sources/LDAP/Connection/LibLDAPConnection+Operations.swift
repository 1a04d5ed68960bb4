import CLDAP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension LibLDAPConnection {
    func bind(_ name: String, _ password: [UInt8]) throws(LDAPError) -> ResultCode {
        guard !name.isEmpty, !password.isEmpty else { throw .unauthenticatedBind }
        try requireText(name)
        let handle = try ready()
        var id: Int32 = 0
        let code = try timed { () throws(LDAPError) in
            try sent(withValue(password) { functions.bind(handle, name, nil, $0, nil, nil, &id) })
            return try result(to: id, .bind)
        }
        // A server that reports itself unavailable receives no further request on this connection.
        if code == .unavailable { throw rejected(.bind, code) }
        return code
    }

    func compare(_ name: String, _ attribute: String, _ value: [UInt8]) throws(LDAPError) -> ResultCode {
        try requireText(name, attribute)
        let handle = try ready()
        var id: Int32 = 0
        return try timed { () throws(LDAPError) in
            try sent(withValue(value) { functions.compare(handle, name, attribute, $0, nil, nil, &id) })
            return try result(to: id, .compare)
        }
    }

    func search(_ search: DirectorySearch) throws(LDAPError) -> SearchResult? {
        try requireText(search.base, search.filter)
        for attribute in search.attributes { try requireText(attribute) }
        let handle = try ready()
        var id: Int32 = 0
        // "1.1" requests no attributes (RFC 4511 section 4.5.1.8).
        var names = (search.attributes.isEmpty ? ["1.1"] : search.attributes).map { strdup($0) } + [nil]
        defer { for name in names { free(name) } }
        var limit = timeval(max(.seconds(1), options.timeout))
        var result = SearchResult()
        let code = try timed { () throws(LDAPError) in
            try sent(
                functions.search(
                    handle, search.base, search.scope.code, search.filter, &names, 0, nil, nil, &limit,
                    Int32(clamping: search.limit), &id))
            return try self.result(to: id, .search) { (message, type) throws(LDAPError) in
                if type == Int32(LDAP_RES_SEARCH_REFERENCE) {
                    result.references += 1
                } else if result.entries.count < search.limit {
                    result.entries.append(try entry(message, handle))
                } else {
                    result.isTruncated = true
                }
            }
        }
        switch code {
        case .success: return result
        case .noSuchObject: return nil
        case .sizeLimitExceeded where !result.entries.isEmpty:
            result.isTruncated = true
            return result
        default: throw rejected(.search, code)
        }
    }

    private func entry(
        _ message: LDAPFunctions.Message, _ handle: LDAPFunctions.Handle
    ) throws(LDAPError) -> DirectoryEntry {
        guard let name = functions.name(handle, message) else { throw .connectionLost }
        defer { functions.freeMemory(name) }
        var attributes: [(name: String, values: [[UInt8]])] = []
        var element: OpaquePointer?
        var attribute = functions.firstAttribute(handle, message, &element)
        defer { if let element { functions.freeElement(element, 0) } }
        while let present = attribute {
            attributes.append((String(cString: present), values(of: present, message, handle)))
            functions.freeMemory(present)
            attribute = element.flatMap { functions.nextAttribute(handle, message, $0) }
        }
        guard let text = String(validatingCString: name) else { throw .connectionLost }
        return DirectoryEntry(name: text, attributes: attributes)
    }

    private func values(
        of attribute: UnsafePointer<CChar>, _ message: LDAPFunctions.Message, _ handle: LDAPFunctions.Handle
    ) -> [[UInt8]] {
        guard let list = functions.values(handle, message, attribute) else { return [] }
        defer { functions.freeValues(list) }
        var values: [[UInt8]] = []
        while let value = list[values.count] {
            values.append(Array(UnsafeRawBufferPointer(start: value.pointee.bv_val, count: Int(value.pointee.bv_len))))
        }
        return values
    }

    private func requireText(_ texts: String...) throws(LDAPError) {
        if texts.contains(where: { $0.utf8.contains(0) }) { throw .unacceptableText }
    }

    /// Passes bytes as the library's counted string, so that a NUL among them does not end the value.
    private func withValue<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<berval>) -> Result) -> Result {
        var copy = bytes.map { CChar(bitPattern: $0) }
        return copy.withUnsafeMutableBufferPointer { buffer in
            var value = berval(bv_len: ber_len_t(buffer.count), bv_val: buffer.baseAddress)
            return body(&value)
        }
    }
}
