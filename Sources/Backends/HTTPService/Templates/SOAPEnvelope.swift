import OutgoingRequests

/// The envelope of a SOAP request, and the headers that belong to it.
enum SOAPEnvelope {
    enum Version: String, Sendable, CaseIterable {
        /// SOAP 1.1, the W3C note of 8 May 2000.
        case v11 = "1.1"
        /// SOAP 1.2, the W3C recommendation.
        case v12 = "1.2"

        var namespace: String {
            switch self {
            case .v11: "http://schemas.xmlsoap.org/soap/envelope/"
            case .v12: "http://www.w3.org/2003/05/soap-envelope"
            }
        }
    }

    static func wrap(_ body: String, header: String?, version: Version) -> String {
        let header = header.map { "<soap:Header>\($0)</soap:Header>" } ?? ""
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"\(version.namespace)\">"
            + "\(header)<soap:Body>\(body)</soap:Body></soap:Envelope>"
    }

    /// Returns the headers of a request (SOAP 1.1 section 6.1; RFC 3902 for the `action` of SOAP 1.2).
    static func headers(action: String, version: Version) -> [OutboundRequest.Header] {
        switch version {
        case .v11:
            [
                OutboundRequest.Header(name: "Content-Type", value: "text/xml; charset=utf-8"),
                OutboundRequest.Header(name: "SOAPAction", value: "\"\(action)\""),
            ]
        case .v12:
            [
                OutboundRequest.Header(
                    name: "Content-Type",
                    value: "application/soap+xml; charset=utf-8" + (action.isEmpty ? "" : "; action=\"\(action)\""))
            ]
        }
    }
}
