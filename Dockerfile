# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# skerry with its emulated GPU, from source: docker build -t skerry . && docker run --rm -it skerry
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates g++ git make python3 python3-venv
COPY . /skerry
WORKDIR /skerry
RUN make wheels WHEELS_OPTIONS="--python 3.11"

FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY --from=build /skerry/dist/*.whl /wheels/
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir /wheels/*cp311*.whl /wheels/skerry_emulator*.whl
ENV PATH=/venv/bin:$PATH
CMD ["python"]
