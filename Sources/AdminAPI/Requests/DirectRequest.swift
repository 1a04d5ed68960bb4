import HTTPTypes

/// The rule that a request comes directly from a client of the API: no web page and no proxy has sent it.
///
/// A web page can use the connections of the machine that its browser runs on, also by a name of its own that it lets resolve
/// to an address of that machine (DNS rebinding). A proxy on this machine makes each of its clients a local one.
package enum DirectRequest {
    private static let ownSites: Set<String> = ["none", "same-origin"]

    /// Returns what is wrong with a request; nil if it is direct.
    static func fault(of request: AdminRequest) -> AdminProblem.Fault? {
        guard request.isForThisHost else {
            return AdminProblem.Fault("Host", "localhost or an address of this server")
        }
        for field in request.fields {
            switch field.name.canonicalName {
            case "origin": return AdminProblem.Fault("Origin", "no request of a web page")
            case "sec-fetch-site" where !ownSites.contains(field.value):
                return AdminProblem.Fault("Sec-Fetch-Site", "no request of a web page")
            default: continue
            }
        }
        return isThroughProxy(request) ? AdminProblem.Fault("Forwarded", "no request through a proxy") : nil
    }

    /// Returns whether a proxy has sent a request.
    package static func isThroughProxy(_ request: AdminRequest) -> Bool {
        request.fields.contains { field in
            switch field.name.canonicalName {
            case "forwarded", "via", "x-real-ip": true
            case let name: name.hasPrefix("x-forwarded-")
            }
        }
    }
}
