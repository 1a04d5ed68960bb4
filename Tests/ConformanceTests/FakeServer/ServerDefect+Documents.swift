@testable import Conformance

extension ServerDefect {
    static let documents: [ServerDefect] = [
        ServerDefect("document-complete", "fewer bytes than announced") { request, response in
            if request.isCredentials, request.user == "activenone" { response.length = response.body.count + 10 }
        },
        ServerDefect("document-complete", "more bytes than announced") { request, response in
            if request.isVerification, request.user == "activenone" { response.stray = Array("<!-- 3 ms -->".utf8) }
        },
        ServerDefect("document-complete", "no response") { request, response in
            if request.isVerification, request.user == "credserror" { response.isNothing = true }
        },
        ServerDefect("document-type", "HTML") { request, response in
            // HEAD returns the same type; otherwise another rule would find it.
            if request.call == "verify_subscription", response.status == 200 {
                response.set("Content-Type", "text/html")
            }
        },
        ServerDefect("document-encoding", "a wrong encoding declaration") { request, response in
            if request.isVerification { response.text = response.text.replacing("UTF-8", with: "ISO-8859-1") }
        },
        ServerDefect("document-encoding", "a wrong charset parameter") { request, response in
            if request.isSignIn, response.status == 200 { response.set("Content-Type", "text/xml; charset=ISO-8859-1") }
        },
        ServerDefect("document-encoding", "a Latin-1 byte") { request, response in
            if request.isSignIn, !request.holds("<!--"), let place = response.body.firstRange(of: Array("Inv".utf8)) {
                response.body[place.lowerBound] = 0xE4
            }
        },
        ServerDefect("document-well-formed", "an ampersand") { request, response in
            if request.isCredentials, request.user != nil {
                response.text = response.text.replacing("Sorry", with: "Sorry & goodbye")
            }
        },
        ServerDefect("document-well-formed", "a DOCTYPE") { request, response in
            if request.isVerification, request.user == "lapsedall" {
                response.text = response.text.replacing("<subscription", with: "<!DOCTYPE x><subscription")
            }
        },
        ServerDefect("document-schema", "an unknown element") { request, response in
            if request.isVerification { response.text = response.text.replacing("</sub", with: "<expires/></sub") }
        },
        ServerDefect("document-schema", "two userids") { request, response in
            if request.isCredentials, !response.isRejection {
                response.text = response.text.replacing("</credentials>", with: "<userid>2</userid></credentials>")
            }
        },
    ]
}
